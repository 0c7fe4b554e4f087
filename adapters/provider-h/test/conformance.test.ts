import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerH from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerH, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  otherAccount: { merchantNo: 'M-7300499' },
  facts: (_kind, providerStatus) => ({ facts: { received: providerStatus === 'over' ? 'more' : 'equal' } }),
  // The canonical text is verified, so spaces outside strings change nothing.
  routes: { 'POST providerH': { sign: (raw) => raw } },
  sandbox: { create: createSandbox },
});
