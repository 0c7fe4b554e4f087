import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { acknowledgeThreeDs, readThreeDs } from '../core/engine/payments/three-ds/read-three-ds.ts';
import { runThreeDsVectors } from '../core/engine/payments/testing/three-ds-vectors.ts';
import { readToken, type ThreeDsOptions } from '../core/engine/payments/three-ds/token.ts';
import { root } from './support/start-gateway.ts';

const text = readFileSync(join(root, 'test/fixtures/3ds-vectors.json'), 'utf8');
const { options, tokens } = JSON.parse(text) as { options: ThreeDsOptions; tokens: { token: string; now: string }[] };

describe('the 3D Secure route of core', () => {
  const results = runThreeDsVectors(text);
  it('has more than 15 vectors', () => expect(results.length).to.be.greaterThan(15));

  for (const { name, call, differences } of results) {
    it(`matches the ${call} vector: ${name}`, () => expect(differences).to.deep.equal([]));
  }

  describe('when the provider fills MD itself', () => {
    const { token, now } = tokens[0]!;
    const post = (md: string, t: string): ReturnType<typeof readThreeDs> =>
      readThreeDs(
        {
          method: 'POST',
          path: '/callbacks/3ds',
          query: new URLSearchParams(t ? { t } : {}).toString(),
          headers: [['Content-Type', 'application/x-www-form-urlencoded']],
          body: Buffer.from(new URLSearchParams({ PaRes: 'eJxVUttu', MD: md }).toString()),
          remoteAddress: '203.0.113.1',
          receivedAt: new Date(now),
        },
        options,
      );

    it("reads the token from the address, and passes the provider's own data on", () => {
      const read = post('md-of-the-provider', token);
      if (read.verdict !== 'genuine') throw new Error(read.verdict);
      expect(read.result.posted).to.include({ value: 'eJxVUttu', sessionData: 'md-of-the-provider' });
      expect(read.result.event.reference).to.match(/^GW-10042-1$/);
    });

    it('refuses a missing token in the address, and two tokens that differ', () => {
      expect(post('md-of-the-provider', '').verdict).to.equal('invalid_signature');
      expect(post(token, tokens[1]!.token).verdict).to.equal('invalid_signature');
      expect(post(tokens[1]!.token, token).verdict).to.equal('invalid_signature');
    });
  });

  describe('when a provider’s page returns by GET', () => {
    const { token, now } = tokens[0]!;
    const returnBy = (query: string, at = now): ReturnType<typeof readThreeDs> =>
      readThreeDs(
        {
          method: 'GET',
          path: '/callbacks/3ds',
          query,
          headers: [],
          body: new Uint8Array(),
          remoteAddress: '203.0.113.1',
          receivedAt: new Date(at),
        },
        options,
      );

    it('keeps the added parameters as they were sent, without the token', () => {
      for (const query of [
        `t=${token}&result=a%21+b&x=1`,
        `result=a%21+b&t=${token}&x=1`,
        `t=${token}&&result=a%21+b&x=1`,
      ]) {
        const read = returnBy(query);
        if (read.verdict !== 'genuine') throw new Error(read.verdict);
        expect(read.result.posted).to.deep.equal({ kind: 'return', query: 'result=a%21+b&x=1' });
        const { kind, status, reference, providerReference } = read.result.event;
        expect([kind, status, reference, providerReference]).to.deep.equal(['3ds', 'pending', 'GW-10042-1', null]);
      }
    });

    it('makes no step when the page added nothing', () => {
      for (const query of [`t=${token}`, `t=${token}&`, 'result=a', ''])
        expect(returnBy(query).verdict).to.equal('malformed');
    });

    it('refuses a wrong token, two tokens, and an expired one', () => {
      expect(returnBy('t=dG9rZW4&result=a').verdict).to.equal('invalid_signature');
      expect(returnBy(`t=${token}&t=${token}&result=a`).verdict).to.equal('malformed');
      const late = returnBy(`t=${token}&result=a`, new Date(Date.parse(now) + 3_600_000).toISOString());
      if (late.verdict !== 'stale') throw new Error(late.verdict);
      expect(acknowledgeThreeDs('stale', late, 'https://gateway.example').headers).to.include({
        Location: 'https://gateway.example/pay/10042',
      });
    });
  });

  it('refuses a token that was changed at any position', () => {
    const { token, now } = tokens[0]!;
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(readToken(options, changed, new Date(now)).verdict, `changed at ${at}`).to.equal('invalid_signature');
    }
  });
});
