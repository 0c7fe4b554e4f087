import { noAnswer, reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerF from '../index.ts';
import { harness, dealId, fault } from './messages.ts';

const { callWith, recordCall, stored, unanswered, createContext } = harness;

describe('markSeen', () => {
  it('sends the mark that was fetched', async () => {
    const { requests } = await recordCall(reply(204), (ctx) => providerF.markSeen!(stored, '12', ctx));
    expect(requests).to.deep.equal([
      {
        method: 'POST',
        path: `/v1/deals/${dealId}/seen`,
        headers: { Authorization: 'Bearer f_tok_test_0123456789', 'Content-Type': 'application/json' },
        body: '{"mark":12}',
      },
    ]);
  });

  for (const [what, answer, result] of [
    ['204', reply(204), 'done'],
    ['404', fault(404, 'no_deal', false), 'done'],
    ['404 without a fault', reply(404), 'done'],
    ['410', reply(410), 'done'],
    ['409 mark_moved', fault(409, 'mark_moved', true), 'changed'],
    ['409 with another code', fault(409, 'in_progress', true), 'later'],
    ['409 without a fault', reply(409), 'later'],
    ['401', fault(401, 'bad_token', false), 'later'],
    ['429', fault(429, 'slow_down', false), 'later'],
    ['500', reply(500), 'later'],
    ['502', reply(502, '<html>'), 'later'],
    ['503', fault(503, 'closed', false), 'later'],
    ['200', reply(200), 'later'],
  ] as const) {
    it(`is ${result} after ${what}`, async () => {
      expect(await callWith(answer, (ctx) => providerF.markSeen!(stored, '2', ctx))).to.equal(result);
    });
  }

  it('leaves a lost answer to core, and waits if no deal is known', async () => {
    const http = scriptedHttp(() => noAnswer());
    const ctx = createContext([], { http });
    const lost = await providerF.markSeen!(stored, '2', ctx).catch((error: unknown) => error);
    expect(lost).to.have.property('failure', 'no_answer');
    expect(await providerF.markSeen!(unanswered, '2', ctx)).to.equal('later');
    expect(http.requests).to.have.length(1);
  });
});
