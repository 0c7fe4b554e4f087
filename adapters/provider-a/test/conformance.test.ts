import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerA from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerA, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  otherAccount: { account: 'SomeoneElse' },
  // The query of the return holds only txn, ref, auth and ts. Its key belongs to the account.
  routes: { 'GET providerA3ds': { namesNoAccount: true } },
  sandbox: { create: createSandbox },
});
