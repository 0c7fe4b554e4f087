import { KeyObject, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { readJson, type RawCallback } from '@paywright/contract';
import { playCallback, reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { webhook } from '../callbacks/paypal.ts';
import paypal from '../index.ts';
import type { Options } from '../options.ts';
import { signCallback } from '../sandbox/index.ts';
import { certificateRequest, findKey, headersOf, readChain, trustedUntil } from '../signing.ts';
import { CAPTURE, context, granted, harness, now, options, pems, providerSide } from './messages.ts';

/** An event whose spelling would change if it was parsed and written again. */
const event =
  `{ "id":"WH-1","event_type":"PAYMENT.CAPTURE.COMPLETED","resource": {"id":"${CAPTURE}","status":"COMPLETED",` +
  '"amount":{"currency_code":"EUR","value":"25.90"},"custom_id":"GW-10042-1","odd":1.50,"text":"\\u00e9/"} }';

function raw(body = event, time = '2026-11-20T10:00:00Z'): RawCallback {
  const transmission = {
    id: '69cd13f0-d67a-11e5-baa3-778b53f4ae55',
    time,
    certUrl: 'https://api.paypal.com/v1/notifications/certs/CERT-1',
    signature: 'AAAA',
  };
  return signCallback(harness.toRaw({ headers: headersOf(transmission), body }), options, providerSide);
}

const play = (answers: Parameters<typeof context>[0], given: Partial<Options> = {}, message = raw()) => {
  const { ctx, requests } = context(answers, given);
  return playCallback(paypal, webhook, message, ctx, 'accepted').then((played) => ({ ...played, requests }));
};
const certificate = reply(200, pems['ours']! + pems['intermediate']!);
const says = (verification_status: string) => reply(200, { verification_status });

describe('a webhook that is verified by its certificate', () => {
  for (const [hours, outcome] of [
    [95, 'accepted'],
    [97, 'stale'],
    [-95, 'accepted'],
    [-97, 'stale'],
  ] as const) {
    it(`is ${outcome} if it is received ${hours} hours after its time`, async () => {
      const time = new Date(now.getTime() - hours * 3_600_000).toISOString();
      expect((await play([certificate], {}, raw(event, time))).outcome).to.equal(outcome);
    });
  }

  it('is fetched before it moves money, because its signature covers only a checksum', async () => {
    const { events } = await play([certificate]);
    expect(events[0]).to.include({ status: 'succeeded', amount: '25.90', mustFetch: true });
  });

  it('is refused without a request if a header is malformed', async () => {
    for (const [name, value] of [
      ['PAYPAL-AUTH-ALGO', 'SHA1withRSA'],
      ['PAYPAL-CERT-URL', 'https://attacker.example/cert.pem'],
      ['PAYPAL-TRANSMISSION-TIME', 'yesterday'],
      ['PAYPAL-TRANSMISSION-SIG', '!'],
      ['PAYPAL-TRANSMISSION-ID', 'a|b'],
    ]) {
      const message = raw();
      const headers = message.headers.map((header) => (header[0] === name ? ([name, value!] as const) : header));
      const { outcome, requests } = await play([], {}, { ...message, headers });
      expect([outcome, requests.length], name).to.deep.equal(['invalid_signature', 0]);
    }
  });
});

describe('a webhook that PayPal verifies', () => {
  const call = { verifyBy: 'call' } as const;

  it('is genuine if PayPal says so, and is sent back byte for byte', async () => {
    const { outcome, events, requests } = await play([granted(), says('SUCCESS')], call);
    expect(outcome).to.equal('accepted');
    expect(events[0]).to.include({ providerReference: CAPTURE, mustFetch: true });
    const body = String(requests[1]!.body);
    expect(requests[1]).to.include({ method: 'POST', path: '/v1/notifications/verify-webhook-signature' });
    expect(body.endsWith(`,"webhook_event":${event}}`)).to.equal(true);
    expect(readJson(body)).to.deep.include({
      webhook_id: options.webhookIds[0],
      auth_algo: 'SHA256withRSA',
      transmission_id: '69cd13f0-d67a-11e5-baa3-778b53f4ae55',
    });
  });

  it('is verified for each webhook id, and refused if none matches', async () => {
    expect((await play([granted(), says('FAILURE'), says('SUCCESS')], call)).outcome).to.equal('accepted');
    const { outcome, requests } = await play([granted(), says('FAILURE'), says('FAILURE')], call);
    expect([outcome, requests.length]).to.deep.equal(['invalid_signature', 3]);
  });

  for (const [what, answer] of [
    ['an unknown answer', reply(200, { verification_status: 'MAYBE' })],
    ['a page', reply(200, '<html>')],
    ['an error', reply(500)],
    ['no token', reply(401, { error: 'invalid_client' })],
  ] as const) {
    it(`asks PayPal to send it again after ${what}`, async () => {
      const answers = what === 'no token' ? [answer] : [granted(), answer];
      expect((await play(answers, call)).outcome).to.equal('try_later');
    });
  }

  it('is stale after four days, whatever PayPal says', async () => {
    const message = raw(event, '2026-11-10T10:00:00Z');
    expect((await play([granted(), says('SUCCESS')], call, message)).outcome).to.equal('stale');
  });

  it('is refused without a request if the body is not a JSON object', async () => {
    for (const body of ['[]', '{"a":1,"a":2}', 'null', '{}}']) {
      const { outcome, requests } = await play([], call, raw(body));
      expect([outcome, requests.length], body).to.deep.equal(['invalid_signature', 0]);
    }
  });
});

const authorities = [new X509Certificate(pems['root']!)];
const chainOf = (...names: readonly string[]) => readChain(names.map((name) => pems[name]).join(''))!;
const path = '/v1/notifications/certs/CERT-1';
const url = `https://api.paypal.com${path}`;

describe('trustedUntil', () => {
  it('trusts a certificate that leads to an authority, until the first of its chain expires', () => {
    expect(trustedUntil(chainOf('ours', 'intermediate'), authorities, now)?.getUTCFullYear()).to.equal(2099);
    expect(trustedUntil(chainOf('ours', 'selfSigned', 'intermediate'), authorities, now)).to.be.instanceOf(Date);
  });

  for (const [names, what] of [
    [['ours'], 'without its issuer'],
    [['selfSigned'], 'that it signed itself'],
    [['leafIssued', 'ours', 'intermediate'], 'that was issued by a certificate that is no authority'],
    [['otherName', 'intermediate'], 'with another name'],
    [['expired', 'intermediate'], 'that has expired'],
  ] as const) {
    it(`refuses a certificate ${what}`, () => {
      expect(trustedUntil(chainOf(...names), authorities, now)).to.equal(undefined);
    });
  }

  it('refuses a certificate before its time, and under other authorities', () => {
    const chain = chainOf('ours', 'intermediate');
    expect(trustedUntil(chain, authorities, new Date('2014-12-31T00:00:00Z'))).to.equal(undefined);
    const others = rootCertificates.slice(0, 3).map((pem) => new X509Certificate(pem));
    expect(trustedUntil(chain, others, now)).to.equal(undefined);
  });

  it('needs no issuer without authorities, but the name and the time', () => {
    expect(trustedUntil(chainOf('ours'), undefined, now)?.getUTCFullYear()).to.equal(2099);
    for (const name of ['otherName', 'expired']) {
      expect(trustedUntil(chainOf(name), undefined, now), name).to.equal(undefined);
    }
  });
});

describe('findKey', () => {
  it('fetches a certificate once, and a missing one at most once a minute', async () => {
    const { ctx, requests } = context([reply(200, pems['ours']! + pems['intermediate']!)]);
    expect(await findKey(url, ctx)).to.equal(await findKey(url, ctx));
    expect(requests).to.deep.equal([{ method: 'GET', path, to: 'certificateBaseUrl' }]);
    const missing = context([reply(404)]);
    expect([await findKey(url, missing.ctx), await findKey(url, missing.ctx)]).to.deep.equal(['denied', 'denied']);
    expect(missing.requests).to.have.length(1);
  });

  it('keeps the certificates of two addresses apart', async () => {
    const { ctx, requests } = context([reply(200, pems['ours']! + pems['intermediate']!), reply(404)]);
    expect(await findKey(url, ctx)).to.be.instanceOf(KeyObject);
    expect(await findKey(`${url}-2`, ctx)).to.equal('denied');
    expect(requests).to.have.length(2);
  });

  it('fetches again after an answer without a readable certificate', async () => {
    const { ctx, requests } = context([
      null,
      reply(503),
      reply(200, '<html>'),
      reply(200, pems['ours']!.slice(0, 400)),
    ]);
    for (let count = 0; count < 4; count += 1) expect(await findKey(url, ctx)).to.equal('unavailable');
    expect(requests).to.have.length(4);
  });
});

describe('certificateRequest', () => {
  const { ctx } = context([]);
  for (const odd of [
    `http://api.paypal.com${path}`,
    `https://api.paypal.com.attacker.example${path}`,
    `https://api.paypal.com@attacker.example${path}`,
    `https://api.paypal.com:8443${path}`,
    `https://attacker.example/https://api.paypal.com${path}`,
    `https://api.paypal.com${path}?x=1`,
    `https://api.paypal.com${path}#x`,
    'https://api.paypal.com/v1/notifications/certs/../../oauth2/token',
    'https://api.paypal.com/v1/notifications/certs/',
    `https://API.PAYPAL.COM${path}`,
    path,
    '',
  ]) {
    it(`refuses the address "${odd}"`, () => {
      expect(certificateRequest(odd, ctx)).to.equal(undefined);
    });
  }
});
