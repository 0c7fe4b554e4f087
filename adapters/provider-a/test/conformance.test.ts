import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerA from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerA, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  otherAccount: { account: 'SomeoneElse' },
  // The query of the return holds txn, ref, auth and ts only; its key is the account's.
  routes: { 'GET providerA3ds': { namesNoAccount: true } },
  sandbox: { create: createSandbox },
});
