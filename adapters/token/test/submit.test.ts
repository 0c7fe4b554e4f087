import { refuseSubmission } from '@paywright/contract';
import { noAnswer, reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import token from '../index.ts';
import { harness, error, whole } from './messages.ts';

const { submission, submit, createContext } = harness;

/** The request body, as JSON text. */
async function asked(change: Partial<typeof submission>): Promise<string> {
  const http = scriptedHttp(() => noAnswer());
  await token.submit({ ...submission, ...change }, createContext([], { http })).catch(() => undefined);
  return String(http.requests[0]?.body);
}

describe('the request to the vault', () => {
  for (const [is3ds, auth3] of [
    [true, 'force'],
    [false, 'skip'],
    [undefined, 'auto'],
  ] as const) {
    it(`sends 3D Secure ${auth3} if is3ds is ${is3ds}`, async () => {
      expect(await asked(is3ds === undefined ? {} : { is3ds })).to.contain(`"auth3":"${auth3}"`);
    });
  }

  for (const [amount, currency, minor] of [
    ['25.9', 'EUR', '2590'],
    ['1500', 'JPY', '1500'],
    ['1.25', 'KWD', '1250'],
    ['0', 'EUR', '0'],
    ['90071992547409930.01', 'EUR', '9007199254740993001'],
  ] as const) {
    it(`writes ${amount} ${currency} as ${minor}`, async () => {
      expect(await asked({ money: { amount, currency } })).to.contain(`"minor":${minor},"cur":"${currency}"`);
    });
  }

  it('passes the token, browserInfo and the payer’s return address unchanged', async () => {
    const text = await asked({ token: 'tok_"ä', browserInfo: { javaEnabled: false, language: 'pt' } });
    expect(text).to.contain('"token":"tok_\\"ä"').and.contain('"browser":{"javaEnabled":false,"language":"pt"}');
    expect(text).to.match(/"back":"https:\/\/gateway\.example\/pay\/10042"\}$/);
  });

  it('sends no request for an amount that the currency cannot express', () => {
    const money = { amount: '25.901', currency: 'EUR' };
    const refused = refuseSubmission(token.manifest, { ...submission, money });
    expect(refused).to.include({ outcome: 'failed', nothingCharged: true });
  });
});

describe('submit at the vault', () => {
  const providerReference = 'ch_1';
  for (const [name, answer, expected] of [
    ['201 succeeded', reply(201, whole({ state: 'succeeded' })), { outcome: 'succeeded' }],
    ['200 succeeded', reply(200, whole({ state: 'succeeded' })), { outcome: 'succeeded' }],
    ['201 pending', reply(201, whole({ state: 'pending' })), { outcome: 'pending' }],
    ['201 authorised', reply(201, whole({ state: 'authorised' })), { outcome: 'pending', authorised: true }],
    ['201 cancelled', reply(201, whole({ state: 'cancelled' })), { outcome: 'failed', decline: '05' }],
    ['200 expired', reply(200, whole({ state: 'expired' })), { outcome: 'failed', decline: '05' }],
    ['201 of a strange state', reply(201, whole({ state: 'odd' })), { outcome: 'pending', unknownStatus: 'odd' }],
    ['402 failed', reply(402, whole({ state: 'failed' })), { outcome: 'failed', decline: '05' }],
    ['200 failed', reply(200, whole({ state: 'failed', why: 'limit' })), { outcome: 'failed', decline: '61' }],
    [
      '402 auth_failed',
      reply(402, whole({ state: 'failed', why: 'auth_failed' })),
      { outcome: 'failed', decline: '05', threeDsResult: 'N' },
    ],
    [
      '402 of a strange reason',
      reply(402, whole({ state: 'failed', why: 'moon' })),
      { outcome: 'failed', decline: '05', declineText: 'moon', unknownStatus: 'moon' },
    ],
  ] as const) {
    it(`reads ${name}`, async () => {
      expect(await submit(answer)).to.deep.equal({ ...expected, providerReference });
    });
  }

  it('redirects the payer to the challenge', async () => {
    const url = 'https://vault.example/challenge/ch_1';
    expect(await submit(reply(201, whole({ state: 'challenge' }, { url })))).to.deep.equal({
      outcome: 'pending',
      providerReference,
      action: { type: 'redirect', method: 'GET', url, transactionId: 'ch_1' },
    });
  });

  for (const [code, decline] of [
    ['token_unknown', '05'],
    ['token_suspended', '57'],
    ['token_deleted', '54'],
  ] as const) {
    it(`declines 422 ${code} with ${decline}, without a charge`, async () => {
      expect(await submit(error(422, code))).to.deep.equal({ outcome: 'failed', decline });
    });
  }

  it('declines 422 with an unknown code with 05, and keeps the code', async () => {
    const expected = { outcome: 'failed', decline: '05', declineText: 'moon', unknownStatus: 'moon' };
    expect(await submit(error(422, 'moon'))).to.deep.equal(expected);
  });

  for (const [name, answer] of [
    ['400 invalid', error(400, 'invalid', { field: 'cur' })],
    ['401 unauthorised', error(401, 'unauthorised')],
    ['403 forbidden', error(403, 'forbidden')],
    ['429 throttled', error(429, 'throttled')],
    ['429 without an error', reply(429)],
    ['500 that says so', error(500, 'unavailable', { charged: false })],
    ['503 that says so', error(503, 'unavailable', { charged: false })],
  ] as const) {
    it(`treats ${name} as failed, nothing charged`, async () => {
      const outcome = await submit(answer);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.have.property('decline');
      expect('misconfigured' in outcome).to.equal(/^40[13]/.test(name));
    });
  }

  const good = { state: 'succeeded' };
  for (const [name, answer] of [
    ['409 key_reused', error(409, 'key_reused')],
    ['400 of another server', reply(400, '<html>')],
    ['400 of another code', error(400, 'odd')],
    ['401 of another code', error(401, 'forbidden')],
    ['403 of another server', reply(403, 'no')],
    ['422 without an error', reply(422, '')],
    ['422 with an empty code', error(422, '')],
    ['404', error(404, 'not_found')],
    ['500 without an error', reply(500, '')],
    ['500 that does not say', error(500, 'unavailable')],
    ['500 that says charged', error(500, 'unavailable', { charged: true })],
    ['500 with charged as text', error(500, 'unavailable', { charged: 'false' })],
    ['502 that says nothing was charged', error(502, 'unavailable', { charged: false })],
    ['a redirect', reply(302, '', [['Location', 'https://elsewhere.example']])],
    ['204', reply(204)],
    ['another ref', reply(201, whole({ ...good, ref: 'GW-10042-2' }))],
    ['another merchant', reply(201, whole({ ...good, mid: 'V-2' }))],
    ['another amount', reply(201, whole({ ...good, minor: 2591 }))],
    ['an amount that is text', reply(201, whole({ ...good, minor: '2590' }))],
    ['another currency', reply(201, whole({ ...good, cur: 'USD' }))],
    ['no id', reply(201, whole({ ...good, id: undefined }))],
    ['an empty id', reply(201, whole({ ...good, id: '' }))],
    ['402 with a charge that succeeded', reply(402, whole(good))],
    ['402 with a charge that waits', reply(402, whole({ state: 'pending' }))],
    ['a challenge without an address', reply(201, whole({ state: 'challenge' }))],
    ['a challenge without a web address', reply(201, whole({ state: 'challenge' }, { url: 'javascript:1' }))],
  ] as const) {
    it(`treats ${name} as unknown`, async () => {
      const outcome = await submit(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }
});

describe('a refusal of a field', () => {
  for (const [name, field] of [
    ['payer.mail', 'email'],
    ['token', 'token'],
    ['back', 'body'],
  ] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(400, { error: { code: 'invalid', field: name } });
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
