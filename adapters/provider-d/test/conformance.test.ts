import { describeAdapter, fixtureText } from '@gateway/contract/testing';
import providerD from '../index.ts';

describeAdapter(providerD, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { shop: '004217391' },
});
