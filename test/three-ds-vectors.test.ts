import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { runThreeDsVectors } from '../core/callbacks/testing/three-ds-vectors.ts';
import { readToken, type ThreeDsOptions } from '../core/payments/submit/three-ds-token.ts';
import { root } from './support/start-gateway.ts';

const text = readFileSync(join(root, 'test/fixtures/3ds-vectors.json'), 'utf8');
const { options, tokens } = JSON.parse(text) as { options: ThreeDsOptions; tokens: { token: string; now: string }[] };

describe('the 3D Secure route of core', () => {
  const results = runThreeDsVectors(text);
  it('has its samples', () => expect(results.length).to.be.greaterThan(15));

  for (const { name, call, differences } of results) {
    it(`${call}: ${name}`, () => expect(differences).to.deep.equal([]));
  }

  it('refuses a token whose text was changed anywhere', () => {
    const { token, now } = tokens[0]!;
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(readToken(options, changed, new Date(now)).verdict, `changed at ${at}`).to.equal('forged');
    }
  });
});
