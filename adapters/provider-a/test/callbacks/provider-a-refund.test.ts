import { readJsonObject } from '@paywright/contract';
import type { DeliveredCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { canonicalMessage, refundSeal } from '../../callbacks/provider-a-refund.ts';
import { harness } from '../messages.ts';

const { deliver, options } = harness;

const plain =
  '{"acct":"GatewayEU","mode":"live","ref":"GW-10042-1","refund":{"id":"AR-20017","txn":"A-7H2K9Q","refundRef":null,' +
  '"state":"done","sum":{"minor":1000,"cur":"EUR"},"final":true,"note":null},"legs":[{"via":"card","minor":1000}],' +
  '"sentAt":"2026-03-02T09:15:30Z"}';

/** Signs a body that is written without its seal, and delivers it. */
function send(text: string, key = options.refundKeys[0]!): Promise<DeliveredCallback> {
  const seal = refundSeal(key, canonicalMessage(readJsonObject(Buffer.from(text))!)!).toString('base64');
  return deliver({ route: 'providerA-refund', body: `${text.slice(0, -1)},"seal":"${seal}"}` });
}

describe('callback providerA-refund', () => {
  for (const [state, status, identity] of [
    ['queued', 'pending', 'refund:AR-20017:pending'],
    ['done', 'succeeded', 'refund:AR-20017:succeeded'],
    ['failed', 'failed', 'refund:AR-20017:failed'],
    ['reversed', 'reversed', 'refund:AR-20017:reversed'],
    ['returned', 'unknown', 'refund:AR-20017:returned'],
    ['REFUND:true', 'unknown', 'refund:AR-20017:REFUND:true'],
  ] as const) {
    it(`reads state ${state} as ${status}`, async () => {
      const { events } = await send(plain.replace('"done"', `"${state}"`));
      expect(events).to.have.length(1);
      expect(events[0]).to.include({
        kind: 'refund',
        providerStatus: state,
        status,
        amount: '10.00',
        subReference: 'AR-20017',
        providerReference: 'A-7H2K9Q',
        dedupeKey: identity,
      });
      expect(events[0]).not.to.have.property('cumulative');
    });
  }

  for (const [text, canonical] of [
    ['{"b":1,"a":true,"c":false,"d":null,"e":"","seal":"x"}', 'a:1;b:1;c:0;d:;e:'],
    ['{"n":[1.50,1e3,-3,12345678901234567890]}', 'n:0:1.50;n:1:1e3;n:2:-3;n:3:12345678901234567890'],
    [
      '{"legs":[0,0,0,0,0,0,0,0,0,0,7]}',
      'legs:0:0;legs:10:7;' + [1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => `legs:${at}:0`).join(';'),
    ],
    ['{"a:b":"c;d\\\\e","x":{"seal":"inner"}}', 'a\\:b:c\\;d\\\\e;x:seal:inner'],
    ['{"empty":{},"list":[],"__proto__":"p","\\u00e9":"\\u00e9"}', '__proto__:p;é:é'],
    ['{"\u{1F600}":1,"\uFF5E":2}', '\uFF5E:2;\u{1F600}:1'],
  ] as const) {
    it(`flattens ${text}`, () => {
      expect(canonicalMessage(readJsonObject(Buffer.from(text))!)).to.equal(canonical);
    });
  }

  it('covers unknown members, and numbers as they are written', async () => {
    const more = plain.replace('{', '{"extra":{"n":1.50,"list":[null]},');
    expect((await send(more)).verdict).to.equal('genuine');
    const seal = refundSeal(options.refundKeys[0]!, canonicalMessage(readJsonObject(Buffer.from(more))!)!).toString(
      'base64',
    );
    const respelled = more.replace('1.50', '1.5');
    const sent = await deliver({ route: 'providerA-refund', body: `${respelled.slice(0, -1)},"seal":"${seal}"}` });
    expect(sent.verdict).to.equal('invalid_signature');
  });

  it('stops flattening a message that would grow a thousandfold', async () => {
    const seal = Buffer.alloc(64, 7).toString('base64');
    // 100,000 leaves, each under a path of 500,000 letters.
    const body = `{"seal":"${seal}","${'a'.repeat(500_000)}":[${'0,'.repeat(99_999)}0]}`;
    expect((await deliver({ route: 'providerA-refund', body })).verdict).to.equal('invalid_signature');
  });

  it('accepts a previous key, and members in any order and spacing', async () => {
    expect((await send(plain, options.refundKeys[1])).verdict).to.equal('genuine');
    expect((await send(JSON.stringify(JSON.parse(plain), null, 2))).verdict).to.equal('genuine');
    expect((await send(plain, 'another key, long enough')).verdict).to.equal('invalid_signature');
  });

  for (const [name, text, verdict] of [
    ['another account', plain.replace('GatewayEU', 'Other'), 'invalid_signature'],
    ['another account and a missing member', '{"acct":"Other"}', 'invalid_signature'],
    ['a missing member', plain.replace('"mode":"live",', ''), 'malformed'],
    ['no legs', plain.replace('{"via":"card","minor":1000}', ''), 'malformed'],
    ['a leg with a fraction', plain.replace('"via":"card","minor":1000', '"via":"card","minor":1000.0'), 'malformed'],
    ['a sum with an exponent', plain.replace('"sum":{"minor":1000', '"sum":{"minor":1e3'), 'malformed'],
    ['final as text', plain.replace('"final":true', '"final":"true"'), 'malformed'],
    ['a refundRef that is a number', plain.replace('"refundRef":null', '"refundRef":1'), 'malformed'],
  ] as const) {
    it(`calls a correctly signed notice with ${name} ${verdict}`, async () => {
      expect((await send(text)).verdict).to.equal(verdict);
    });
  }

  for (const [name, body, verdict] of [
    ['a list', '[]', 'malformed'],
    ['no seal', plain, 'invalid_signature'],
    ['an empty seal', plain.replace('{', '{"seal":"",'), 'invalid_signature'],
    ['a seal that is no text', plain.replace('{', '{"seal":1,'), 'invalid_signature'],
    ['other bytes than UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'malformed'],
  ] as const) {
    it(`calls ${name} ${verdict}`, async () => {
      expect((await deliver({ route: 'providerA-refund', body })).verdict).to.equal(verdict);
    });
  }
});
