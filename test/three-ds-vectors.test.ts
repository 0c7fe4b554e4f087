import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareCallback, readVectorFile, type VectorFile } from '@gateway/contract/testing';
import type { AckOutcome } from '@gateway/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { acknowledgeThreeDs, readThreeDs } from '../core/callbacks/read-three-ds.ts';
import { makeToken, readToken, type ThreeDsOptions } from '../core/payments/three-ds-token.ts';
import { root } from './support/start-gateway.ts';

interface Tokens {
  readonly publicUrl: string;
  readonly options: ThreeDsOptions;
  readonly tokens: readonly {
    name: string;
    now: string;
    nonce: string;
    paymentRequestId: string;
    attempt: string;
    token: string;
  }[];
}

const text = readFileSync(join(root, 'test/fixtures/3ds-vectors.json'), 'utf8');
const { publicUrl, options, tokens } = JSON.parse(text) as Tokens;
const file: VectorFile = readVectorFile(JSON.parse(text));

describe('the 3D Secure route of core', () => {
  for (const { name, now, token, attempt, ...facts } of tokens) {
    it(`makes and reads the token of ${name}`, () => {
      const named = { ...facts, attempt: Number(attempt) };
      expect(makeToken(options, named, new Date(now))).to.equal(token);
      expect(readToken(options, token, new Date(now))).to.deep.equal({
        verdict: 'right',
        token: { paymentRequestId: facts.paymentRequestId, attempt: Number(attempt), nonce: facts.nonce },
      });
    });
  }

  for (const vector of file.callbacks) {
    it(vector.name, () => {
      const { request } = vector;
      const raw = {
        method: request.method,
        path: request.path,
        query: request.query,
        headers: request.headers,
        body:
          request.bodyBase64 === undefined
            ? Buffer.from(request.body ?? '')
            : Buffer.from(request.bodyBase64, 'base64'),
        remoteAddress: '203.0.113.1',
        receivedAt: new Date(vector.now!),
      };
      const read = readThreeDs(raw, options);
      const refused = { forged: 'bad_signature', malformed: 'malformed', stale: 'stale' } as const;
      // What core says once it was genuine (duplicate, try_later) is the vector's to choose.
      const wanted = (vector.expect.ack?.outcome ?? 'accepted') as AckOutcome;
      const outcome = read.verdict === 'genuine' ? wanted : refused[read.verdict];
      const differences = compareCallback(vector.expect, {
        genuine: read.verdict === 'genuine' ? true : read.verdict,
        events: read.verdict === 'genuine' ? [read.result.event] : [],
        outcome,
        acknowledgement: acknowledgeThreeDs(outcome, read, publicUrl),
      });
      expect(differences).to.deep.equal([]);
    });
  }

  it('refuses a token whose text was changed anywhere', () => {
    const { token, now } = tokens[0]!;
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(readToken(options, changed, new Date(now)).verdict, `changed at ${at}`).to.equal('forged');
    }
  });
});
