import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import upi from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(upi, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { merchantId: 'MID9999' },
  // Only the blob is verified: spaces around it in the body change nothing.
  routes: { 'POST upi': { sign: (raw) => raw } },
  sandbox: { create: createSandbox },
});
