import { reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import token from '../index.ts';
import { harness, error, whole } from './messages.ts';

const { complete, unanswered, createContext } = harness;

describe('complete at the vault', () => {
  it('resumes under the challenge’s id if no other is known, and sends no request without an id', async () => {
    const http = scriptedHttp([reply(500)]);
    const ctx = createContext([], { http });
    const action = { type: 'redirect', method: 'GET', url: 'https://a.example', transactionId: 'ch/1' } as const;
    expect((await token.complete!({ ...unanswered, action }, { kind: 'return' }, ctx)).outcome).to.equal('unknown');
    expect((await token.complete!(unanswered, { kind: 'return' }, ctx)).outcome).to.equal('unknown');
    expect(http.requests.map(({ path }) => path)).to.deep.equal(['/v1/charges/ch%2F1/resume']);
    expect(http.requests[0]?.headers).to.not.have.property('Idempotency-Key');
  });

  it('stays at the challenge before the payer has answered', async () => {
    const url = 'https://vault.example/challenge/ch_1';
    expect(await complete(reply(200, whole({ state: 'challenge' }, { url })))).to.have.nested.property(
      'action.url',
      url,
    );
  });

  for (const [name, answer] of [
    ['201', reply(201, whole({ state: 'succeeded' }))],
    ['another charge', reply(200, whole({ state: 'succeeded', id: 'ch_2' }))],
    ['429', error(429, 'throttled')],
    ['400', error(400, 'invalid')],
    ['401', error(401, 'unauthorised')],
    ['422', error(422, 'token_deleted')],
    ['500 that says nothing was charged', error(500, 'unavailable', { charged: false })],
    ['404', error(404, 'not_found')],
  ] as const) {
    it(`treats ${name} as unknown`, async () => {
      const outcome = await complete(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }
});
