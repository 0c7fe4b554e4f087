import { describeAdapter, fixtureText, readVectorFile } from '@paywright/contract/testing';
import providerC from '../index.ts';
import createSandbox from '../sandbox/index.ts';

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
  notSecret: ['accounts.*.key'],
  // Core never replaces the id of the answer by an id of a callback.
  routes: { 'POST providerC': { notCovered: ['providerReference'] } },
  sandbox: { create: createSandbox },
});
