import { describeAdapter, fixtureText, readVectorFile } from '@gateway/contract/testing';
import providerC from '../index.ts';
import createSandbox from '../sandbox/index.ts';
import { callbackWords } from '../words.ts';

const vectors = readVectorFile(fixtureText(import.meta.url, 'vectors.json'));
const { accounts } = vectors.options as { readonly accounts: readonly object[] };

describeAdapter(providerC, {
  vectors,
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
