import type { HttpReply } from '@paywright/contract';
import { describeAdapter, fixtureText, readVectorFile, visitPage } from '@paywright/contract/testing';
import providerC from '../index.ts';
import type { Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';
import { reverseHash } from '../signing.ts';
import { readMessage } from '../wire.ts';

/** Replaces the hash of an answer, so that the other fields keep their bytes. */
function signAnswer(reply: HttpReply, { accounts: all }: Options): HttpReply {
  const form = readMessage(reply);
  const account = all.find(({ key }) => key === form?.get('c_key'));
  if (!form?.has('c_hash') || !account) return reply;
  const hash = reverseHash(form, account.salts[0] ?? '').toString('hex');
  const body = Buffer.from(reply.body).toString();
  return { ...reply, body: Buffer.from(body.replace(/(^|&)c_hash=[^&]*/, `$1c_hash=${hash}`)) };
}

const vectors = readVectorFile(fixtureText(import.meta.url, 'vectors.json'));
const { accounts } = vectors.options as { readonly accounts: readonly object[] };

describeAdapter(providerC, {
  vectors,
  vectorOptions: { exact: true },
  otherAccount: { accounts: [{ ...accounts[0], key: 'SOMEONE1' }] },
  // `c_hash` does not cover C's own id, nor the sums and disputes of a find.
  signedAnswers: {
    submit: { notCovered: ['providerReference'] },
    complete: { notCovered: ['providerReference'] },
    fetchStatus: { notCovered: ['providerReference', 'events'] },
    refund: { notCovered: ['providerReference'] },
  },
  signAnswer,
  notSecret: ['accounts.*.key'],
  // Core never replaces the id of the answer by an id of a callback.
  routes: { 'POST providerC': { notCovered: ['providerReference'] } },
  sandbox: {
    create: createSandbox,
    payer: (action) => visitPage(action, 'pass'),
    step: { payment: { number: '4000000000003220', is3ds: true } },
  },
});
