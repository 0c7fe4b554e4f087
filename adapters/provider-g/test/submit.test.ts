import { JsonNumber, v, fitsManifest, refuseSubmission } from '@paywright/contract';
import { scriptedHttp, reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerG from '../index.ts';
import {
  harness,
  boxed,
  challenge,
  charge,
  chargeReply,
  errorReply,
  plaintextOf,
  reference,
  second,
  signedReply,
  txn,
  unverified,
  unclear,
} from './messages.ts';

const { options, seconds, submit, submission, createContext } = harness;

describe('a request to G', () => {
  const sent = async (more: object = {}) => {
    const http = scriptedHttp([null]);
    const call = providerG.submit({ ...submission, ...more }, createContext([], { http }));
    await call.catch(() => undefined);
    return http.requests[0]!;
  };

  it('is a signed POST whose nonce is the box’s', async () => {
    const { method, path, headers, body } = await sent();
    expect([method, path]).to.deep.equal(['POST', '/v1/charges']);
    expect(headers).to.include({
      'Content-Type': 'application/json',
      'G-Mid': 'M1000427',
      'G-Time': String(seconds),
      'G-Serial': '6D1F00A10B2C3D4E',
    });
    const { ref, box } = JSON.parse(body as string) as { ref: string; box: { n: string; aad: string } };
    expect([ref, box.aad]).to.deep.equal([reference, 'M1000427:GW-10042-1']);
    expect(Buffer.from(box.n, 'base64').toString('hex')).to.equal(headers?.['G-Nonce']);
  });

  for (const [what, more, said] of [
    ['nothing about 3D Secure', {}, { secure: 'auto', delayHours: 0, browser: null }],
    ['demands', { is3ds: true }, { secure: 'demand' }],
    ['skips', { is3ds: false }, { secure: 'skip' }],
  ] as const) {
    it(`contains, for ${what}: ${JSON.stringify(said)}`, async () => {
      const { secure, browser } = plaintextOf((await sent(more)).body);
      expect({ secure, browser }).to.deep.include({ secure: said.secure, browser: null });
    });
  }

  it('contains capture delay, browser and address of the payer unchanged', async () => {
    const browserInfo = { userAgent: 'x', javaEnabled: false, colorDepth: '24' };
    const payer = { ...submission.payer, ipAddress: '2001:db8::1', name: 'Zoë "Z" \\ \u2028', state: '' };
    const { body } = await sent({ captureDelayHours: 7, browserInfo, payer });
    const said = plaintextOf(body);
    expect(JSON.stringify(said['browser'])).to.equal(JSON.stringify(browserInfo));
    expect(JSON.parse(JSON.stringify(said))).to.deep.include({
      delayHours: 7,
      payer: { name: payer.name, email: payer.email, phone: payer.phoneNumber, ip: '2001:db8::1' },
    });
  });

  for (const [amount, currency, minor] of [
    ['25.9', 'EUR', '2590'],
    ['0', 'EUR', '0'],
    ['1800', 'JPY', '1800'],
    ['1.5', 'KWD', '1500'],
    ['90071992547409.93', 'EUR', '9007199254740993'],
    ['9999999999999999.99', 'EUR', '999999999999999999'],
  ] as const) {
    it(`writes ${amount} ${currency} as ${minor}`, async () => {
      const said = plaintextOf((await sent({ money: { amount, currency } })).body);
      expect(said['minor']).to.be.instanceOf(JsonNumber).with.property('text', minor);
    });
  }

  it('is not sent if G cannot accept it', () => {
    for (const amount of ['25.901', '10000000000000000']) {
      const given = { ...submission, money: { amount, currency: 'EUR' } };
      const refused = refuseSubmission(providerG.manifest, given);
      expect(refused).to.include({ outcome: 'failed', nothingCharged: true });
    }
  });

  it('has at most 18 digits and no wallet', () => {
    const { bounds, ...manifest } = providerG.manifest;
    const fits = (body: object): boolean => v.safeParse(bounds!, body).success;
    const fitsAmount = (amount: string): boolean => fitsManifest(manifest, { amount, currency: 'EUR' });
    expect([fitsAmount('9999999999999999.99'), fits({ captureDelayHours: 7 })]).to.deep.equal([true, true]);
    expect([fitsAmount('10000000000000000'), fits({ wallet: {} })]).to.deep.equal([false, false]);
  });
});

describe('the answer to a charge', () => {
  for (const [status, expected] of [
    ['PAID', { outcome: 'succeeded' }],
    ['CLOSED', { outcome: 'failed' }],
    ['LAPSED', { outcome: 'failed' }],
    ['AUTHED', { outcome: 'pending', authorised: true }],
    ['WAITING', { outcome: 'pending' }],
    ['SCORED', { outcome: 'unknown', unknownStatus: 'SCORED' }],
    ['paid', { outcome: 'unknown' }],
    ['REFUND_OK', { outcome: 'unknown' }],
  ] as const) {
    it(`is ${expected.outcome} for ${status}`, async () => {
      const outcome = await submit(chargeReply(status));
      expect(outcome).to.include({ ...expected, providerReference: txn });
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }

  for (const [why, expected] of [
    ['DO_NOT_HONOR', { decline: '05' }],
    ['NO_FUNDS', { decline: '51' }],
    ['EXPIRED', { decline: '54' }],
    ['FORBIDDEN', { decline: '57' }],
    ['OVER_LIMIT', { decline: '61' }],
    ['SECURE_FAILED', { decline: '05', threeDsResult: 'N' }],
    ['CARD_BLOCKED', { decline: '05', declineText: 'CARD_BLOCKED', unknownStatus: 'CARD_BLOCKED' }],
    [null, { decline: '05' }],
  ] as const) {
    it(`is a decline ${expected.decline} for UNPAID because of ${why}`, async () => {
      const outcome = await submit(chargeReply('UNPAID', { why }));
      expect(outcome).to.deep.equal({ outcome: 'failed', providerReference: txn, ...expected });
    });
  }

  it('contains the challenge, which becomes a form with the gateway’s token', async () => {
    expect(await submit(chargeReply('CHALLENGE', { challenge }))).to.deep.equal({
      outcome: 'pending',
      providerReference: txn,
      action: {
        type: 'redirect',
        method: 'POST',
        url: challenge.url,
        fields: { creq: challenge.creq, threeDSSessionData: 'the-token' },
        transactionId: challenge.id,
      },
    });
  });

  for (const odd of [null, { ...challenge, url: 'javascript:1' }, { ...challenge, creq: null }, { id: challenge.id }]) {
    it(`is unknown with the challenge ${JSON.stringify(odd)}`, async () => {
      const outcome = await submit(chargeReply('CHALLENGE', { challenge: odd }));
      expect(outcome).to.include({ outcome: 'unknown', providerReference: txn }).and.not.have.property('action');
    });
  }

  it('is accepted up to 300 s away, and under any of our keys and box keys', async () => {
    for (const by of [{ time: seconds - 300 }, { time: seconds + 300 }, { key: second }]) {
      expect((await submit(chargeReply('PAID', {}, by))).outcome).to.equal('succeeded');
    }
    const older = { ...options, boxKeys: [options.boxKeys[1]!] };
    const body = boxed(reference, charge('PAID'), { ref: reference, note: 1 }, older);
    expect((await submit(signedReply(body))).outcome).to.equal('succeeded');
  });

  for (const [what, answer] of [...unverified, ...unclear]) {
    it(`is unknown after ${what}`, async () => {
      const outcome = await submit(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('providerReference', 'nothingCharged');
    });
  }

  for (const [status, reason] of [
    [400, 'BAD_REQUEST'],
    [401, 'SIGNATURE'],
    [409, 'REF_REUSED'],
    [422, 'NOT_ALLOWED'],
    [429, 'SLOW_DOWN'],
    [500, 'INTERNAL'],
    [503, 'CLOSED'],
    [418, 'ANYTHING'],
  ] as const) {
    it(`means nothing charged for ${status} ${reason} that had not begun`, async () => {
      const outcome = await submit(errorReply(status, reason, false));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(outcome).not.to.have.property('decline');
      expect('misconfigured' in outcome).to.equal(status === 401);
    });
  }
});

describe('a refusal of a field', () => {
  for (const [name, field] of [['BAD_REQUEST', 'body']] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(400, { code: 'FAIL', reason: name, begun: false });
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
