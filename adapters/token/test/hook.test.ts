import type { CoreSays } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { hookMac, signedBody } from '../hook.ts';
import { hookKey, type Options } from '../options.ts';
import { charge, deliver, event, seconds, type Headers, type Sent } from './deliver.ts';
import { now, options as usual } from './helpers.ts';

describe('POST token, the proof', () => {
  const good = event('charge.succeeded', { charge });
  const verdictOf = (sent: Partial<Sent>, options?: Options) =>
    deliver({ body: good, ...sent }, options).then(({ genuine }) => genuine);

  it('agrees with the worked example of the protocol', async () => {
    const secret = 'tks_UNhY4JhezH9gQYqvDMWrWH9CwlcKiECVqejMrND2VFw=';
    const body = Buffer.from('{"event":"vault.ping","mid":"V-2207"}');
    const address = 'https://pay.gateway.example/callbacks/token';
    expect(hookMac(hookKey(secret), address, 'ev_1', '1795251600', body).toString('base64')).to.equal(
      'ux4O3eCcl0fx/qPUPCqnWQO5KGzvf2v8hooj2knair0=',
    );
    expect(signedBody([secret], 'ev_1', '1795251600', 'accept')).to.equal(
      '{"tk_id":"ev_1","verdict":"accept","time":1795251600,"sign":"Ggw8XsDzrezIFOy/keGlAN5avgd1Ibt45ZVlMwQeFsk="}',
    );
  });

  for (const [name, sign] of [
    ['other versions and garbage before it', (mac) => `v2,${mac} v1 v1, ,${mac} x,y v1a,aaaa v1,${mac}`],
    ['a wrong entry before it', (mac) => `v1,${Buffer.alloc(32).toString('base64')} v1,${mac}`],
    ['spaces around it', (mac) => `  v1,${mac}  v1,`],
  ] as readonly (readonly [string, (mac: string) => string])[]) {
    it(`finds the right entry with ${name}`, async () => expect(await verdictOf({ sign })).to.equal(true));
  }

  for (const [name, sign] of [
    ['another version', (mac) => `v2,${mac}`],
    ['a version in capitals', (mac) => `V1,${mac}`],
    ['no version', (mac) => mac],
    ['no padding', (mac) => `v1,${mac.replace('=', '')}`],
    ['the alphabet of addresses', () => `v1,${'-_'.repeat(21)}A=`],
    ['hex', (mac) => `v1,${Buffer.from(mac, 'base64').toString('hex')}`],
    ['commas instead of spaces', (mac) => `v1,aaaa,v1,${mac}`],
    ['an empty value', () => 'v1,'],
    ['an empty header', () => ''],
  ] as readonly (readonly [string, (mac: string) => string])[]) {
    it(`is forged with ${name}`, async () => expect(await verdictOf({ sign })).to.equal('forged'));
  }

  for (const name of ['tk-id', 'tk-time', 'tk-sign']) {
    it(`is forged with ${name} missing, or twice`, async () => {
      const without = (headers: Headers): Headers => headers.filter(([one]) => one !== name);
      const twice = (headers: Headers): Headers => [...headers, headers.find(([one]) => one === name)!];
      expect([await verdictOf({ headers: without }), await verdictOf({ headers: twice })]).to.deep.equal([
        'forged',
        'forged',
      ]);
    });
  }

  for (const id of ['', 'a b', 'ev.1', 'é', 'x'.repeat(65), 'ev_1\n']) {
    it(`is forged under the id ${JSON.stringify(id).slice(0, 12)}`, async () => {
      expect(await verdictOf({ id })).to.equal('forged');
    });
  }

  it('takes an id of 64 characters, and headers of any letter case', async () => {
    const headers = (given: Headers): Headers => given.map(([name, value]) => [name.toUpperCase(), value]);
    expect(await verdictOf({ id: 'x-Y_9'.padEnd(64, 'z'), headers })).to.equal(true);
  });

  for (const time of ['0', '01772442930', '1772442930.0', '-1772442930', '1e9', '1234567890123']) {
    it(`is forged with the time ${time}`, async () => {
      expect(await verdictOf({ time })).to.equal('forged');
    });
  }

  it('is good for 300 s of past and future alike', async () => {
    const verdicts = [-301, -300, 300, 301].map((offset) => verdictOf({ time: String(seconds + offset) }));
    expect(await Promise.all(verdicts)).to.deep.equal(['stale', true, true, 'stale']);
    const later = (offset: number): Promise<unknown> =>
      verdictOf({ time: String(seconds + offset), now: new Date(now.getTime() + 1) });
    expect([await later(-300), await later(-299), await later(300)]).to.deep.equal(['stale', true, true]);
  });

  it('calls a wrong signature forged, however old', async () => {
    expect(await verdictOf({ time: String(seconds - 9999), sign: () => 'v1,aaaa' })).to.equal('forged');
  });

  it('takes every secret of the list, by its bytes, and no other', async () => {
    const [newest = '', older = ''] = usual.hookSecrets;
    expect([await verdictOf({ secret: newest }), await verdictOf({ secret: older })]).to.deep.equal([true, true]);
    expect(await verdictOf({ secret: older }, { ...usual, hookSecrets: [newest] })).to.equal('forged');
    const asText = `tks_${Buffer.from(newest).toString('base64')}`;
    expect(await verdictOf({ secret: asText })).to.equal('forged');
  });

  it('signs the registered address to its last slash, wherever the callback came in', async () => {
    expect(await verdictOf({ address: usual.callbackUrl.replace(/\/$/, '') })).to.equal('forged');
    expect(await verdictOf({ address: 'https://gateway.example/callbacks/token' })).to.equal('forged');
  });
});

describe('POST token, the answer', () => {
  const body = event('charge.succeeded', { charge });

  it('signs what it accepts with the newest secret, under the time of the delivery', async () => {
    const accepted = signedBody(usual.hookSecrets, 'ev_1', String(seconds - 7), 'accept');
    for (const outcome of ['accepted', 'duplicate', 'unknown_reference', 'ignored'] as const) {
      const sent = { body, time: String(seconds - 7), secret: usual.hookSecrets[1]! };
      const { acknowledgement } = await deliver(sent, usual, outcome);
      expect(acknowledgement).to.deep.equal({
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: accepted,
      });
    }
  });

  it('never signs what is forged, stale, or not stored', async () => {
    const plain = async (sent: Partial<Sent>, coreSays?: CoreSays): Promise<unknown[]> => {
      const { acknowledgement } = await deliver({ body, ...sent }, usual, coreSays);
      return [acknowledgement.status, acknowledgement.body];
    };
    expect(await plain({ address: 'https://elsewhere.example' })).to.deep.equal([401, '{"verdict":"reject"}']);
    expect(await plain({ time: String(seconds + 301) })).to.deep.equal([400, '{"verdict":"stale"}']);
    expect(await plain({}, 'try_later')).to.deep.equal([503, '{"verdict":"later"}']);
    expect(await plain({ body: '[]' }, 'try_later')).to.deep.equal([503, '{"verdict":"later"}']);
  });
});
