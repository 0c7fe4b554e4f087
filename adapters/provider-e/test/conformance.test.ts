import { describeAdapter, fixtureText } from '@gateway/contract/testing';
import providerE from '../index.ts';

describeAdapter(providerE, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { account: 'SOMEONE' },
  routes: { 'POST providerE': { notCovered: 'all' } },
});
