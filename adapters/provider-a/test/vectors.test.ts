import { describeVectors, fixtureText } from '@gateway/contract/testing';
import providerA from '../index.ts';

describeVectors(providerA, fixtureText(import.meta.url, 'vectors.json'));
