import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerB from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerB, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  otherAccount: { endpoint: '4472' },
  // The answer to a return names the sale and the number of the operation.
  answersNameNoMoney: ['refund'],
  // `check` covers outcome, b_txn and gw_ref. Core compares amount and currency; op_no is a part of the identity.
  routes: { 'GET providerB': { notCovered: ['amount', 'currency', 'dedupeKey'] } },
  sandbox: { create: createSandbox, step: { payment: { number: '4000000000003238' } }, code: '123456' },
});
