import { describeAdapter, describeVectors, fixtureText, readVectorFile } from '@gateway/contract/testing';
import providerC from '../index.ts';
import createSandbox from '../sandbox.ts';
import { callbackWords } from '../words.ts';

const vectors = readVectorFile(fixtureText(import.meta.url, 'vectors.json'));
const { accounts } = vectors.options as { readonly accounts: readonly object[] };

// The kit compares samples with one another and cuts good answers. These samples of one event name different ids of C
// (which no identity holds), and this error answer has neither hash nor end: they run as vectors alone.
const apart = [
  'page: success',
  'page: other order, the id is not named and so not proven',
  'find: the payer has not come to the hosted page',
];
const isCommon = ({ name }: { readonly name: string }): boolean => !apart.includes(name);

describeVectors(providerC, vectors, { exact: true, only: apart });

describeAdapter(providerC, {
  vectors: {
    ...vectors,
    callbacks: vectors.callbacks.filter(isCommon),
    submissions: vectors.submissions.filter(isCommon),
  },
  vectorOptions: { exact: true },
  otherAccount: { accounts: [{ ...accounts[0], key: 'SOMEONE1' }] },
  notSecret: ['accounts.*.key'],
  // Core never lets an id from a callback replace the one that the answer gave.
  routes: { 'POST providerC': { notCovered: ['providerReference'] } },
  sandbox: { create: createSandbox },
  facts: (kind, word) => {
    const told: Readonly<Record<string, object>> = callbackWords;
    return { facts: { from: word in (told[kind] ?? {}) ? 'callback' : 'find' } };
  },
});
