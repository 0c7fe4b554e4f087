import type { DeliveredCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { seal } from '../../callbacks/provider-a-chargeback.ts';
import { harness } from '../messages.ts';

const { deliver, options, seconds } = harness;

const [current, previous] = options.sealKeys as [string, string];
const plain = {
  eventId: 'CBE-5501',
  caseId: 'CASE-881',
  acct: 'GatewayEU',
  txn: 'A-7H2K9Q',
  ref: 'GW-10042-1',
  mode: 'live',
  stage: 'opened',
  sum: { minor: 2590, cur: 'EUR' },
  reasonCode: '10.4',
  dueAt: null as string | null,
};
const body = (more: Readonly<Record<string, unknown>> = {}): string => JSON.stringify({ ...plain, ...more });
const s1 = (text: string, key = current, time: number | string = seconds): string =>
  seal(key, String(time), Buffer.from(text)).toString('hex');

function send(text: string, ...headers: readonly string[]): Promise<DeliveredCallback> {
  const given = headers.length > 0 ? headers : [`t=${seconds},s1=${s1(text)}`];
  return deliver({ route: 'providerA-chargeback', body: text, headers: given.map((value) => ['x-a-seal', value]) });
}

describe('callback providerA-chargeback', () => {
  for (const [stage, status] of [
    ['opened', 'opened'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['reversed', 'reversed'],
    ['disputed', 'unknown'],
    ['appeal', 'unknown'],
  ] as const) {
    it(`reads stage ${stage} as ${status}`, async () => {
      const { events } = await send(body({ stage }));
      expect(events).to.have.length(1);
      expect(events[0]).to.include({
        kind: 'chargeback',
        providerStatus: stage,
        status,
        amount: '25.90',
        subReference: 'CASE-881',
        dedupeKey: 'cb:CBE-5501',
        mode: 'live',
      });
    });
  }

  it('reports no event for a retrieval, which is only a question', async () => {
    const { verdict, events, refused } = await send(body({ stage: 'retrieval' }));
    expect({ verdict, events, refused }).to.deep.equal({ verdict: 'genuine', events: [], refused: 0 });
  });

  const text = body();
  for (const [name, headers, verdict] of [
    ['either key', [`t=${seconds},s1=${s1(text, previous)}`], 'genuine'],
    ['a wrong seal before a right one', [`t=${seconds},s1=${'00'.repeat(32)},s1=${s1(text)}`], 'genuine'],
    ['spaces, another order, unknown elements', [` s2=x , s1=${s1(text)} ,v, t=${seconds} `], 'genuine'],
    ['a seal in capitals', [`t=${seconds},s1=${s1(text).toUpperCase()}`], 'genuine'],
    ['no header', [''], 'invalid_signature'],
    ['the header twice', [`t=${seconds},s1=${s1(text)}`, `t=${seconds},s1=${s1(text)}`], 'invalid_signature'],
    ['no time', [`s1=${s1(text)}`], 'invalid_signature'],
    ['two times', [`t=${seconds},t=${seconds},s1=${s1(text)}`], 'invalid_signature'],
    ['a time that is no number', [`t=now,s1=${s1(text, current, 'now')}`], 'invalid_signature'],
    ['a time of 13 digits', [`t=1772442930000,s1=${s1(text, current, '1772442930000')}`], 'invalid_signature'],
    ['no seal', [`t=${seconds}`], 'invalid_signature'],
    ['an empty seal', [`t=${seconds},s1=`], 'invalid_signature'],
    ['another key', [`t=${seconds},s1=${s1(text, 'ask_another')}`], 'invalid_signature'],
    ['the key without its prefix', [`t=${seconds},s1=${s1(text, current.slice(4))}`], 'invalid_signature'],
    ['300 s ago', [`t=${seconds - 300},s1=${s1(text, current, seconds - 300)}`], 'genuine'],
    ['301 s ago', [`t=${seconds - 301},s1=${s1(text, current, seconds - 301)}`], 'stale'],
    ['301 s ahead', [`t=${seconds + 301},s1=${s1(text, current, seconds + 301)}`], 'stale'],
    ['an old time, wrongly signed', [`t=1,s1=${s1(text)}`], 'invalid_signature'],
  ] as const) {
    it(`calls a header with ${name} ${verdict}`, async () => {
      expect((await send(text, ...headers)).verdict).to.equal(verdict);
    });
  }

  for (const [name, sent, verdict] of [
    ['another account', body({ acct: 'Other' }), 'invalid_signature'],
    ['a missing member', body({ reasonCode: undefined }), 'malformed'],
    ['a member of another type', body({ eventId: 5 }), 'malformed'],
    ['a sum with an exponent', body().replace('2590', '2.59e3'), 'malformed'],
    ['an unreadable body of another account', '{"acct":"Other"', 'malformed'],
    ['an unknown member', body({ extra: [1.5] }), 'genuine'],
    ['no date', body({ dueAt: '2026-03-16T00:00:00Z' }), 'genuine'],
  ] as const) {
    it(`calls a correctly signed notice with ${name} ${verdict}`, async () => {
      expect((await send(sent)).verdict).to.equal(verdict);
    });
  }
});
