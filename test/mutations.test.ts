/** The faults of every adapter's `test/mutations.json`, which `npm run mutate` judges. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readMutationFile } from '@paywright/contract/testing';
import { root } from './support/start-gateway.ts';

const adapters = readdirSync(join(root, 'adapters')).filter((name) =>
  existsSync(join(root, 'adapters', name, 'test/mutations.json')),
);

describe('the table of faults', () => {
  for (const name of adapters) {
    it(`has every kind of fault, each at one place in the code of ${name}`, () => {
      const { mutations, absent } = readMutationFile(join(root, 'adapters', name));
      expect(mutations.length + Object.keys(absent).length).to.be.above(0);
    });
  }
});
