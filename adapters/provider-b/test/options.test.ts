import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { harness, keys } from './messages.ts';

const { options } = harness;

describe('the options of B', () => {
  for (const [name, values] of Object.entries({
    endpoint: ['', '12345678901', '44 71', '٤٤٧١', 4471],
    login: ['', 'a'.repeat(51), 'gate way', 'gâteway'],
    controlKeys: [[], [keys[0], keys[1], keys[2], keys[0]], ['short'], ['B7F3A1D0_test_44E2_9C58'], [keys[0], '']],
  })) {
    it(`refuses a wrong ${name}`, () => {
      for (const value of values) {
        expect(v.safeParse(Options, { ...options, [name]: value }).success, JSON.stringify(value)).to.equal(false);
      }
    });
  }
});
