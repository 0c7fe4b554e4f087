import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { StatusId } from '../../../database/collections/payment-request.ts';
import { isAllowed } from './transitions.ts';

const ids: readonly StatusId[] = [0, 1, 2, 3, 4, 5];
const allowed: Readonly<Record<StatusId, readonly StatusId[]>> = {
  0: [1, 5],
  1: [2, 3, 5],
  2: [4],
  3: [1, 2, 5],
  4: [2],
  5: [2, 3],
};

describe('isAllowed', () => {
  for (const from of ids) {
    it(`allows only ${allowed[from].join(', ')} after ${from}`, () => {
      expect(ids.filter((to) => to !== from && isAllowed(from, to))).to.deep.equal(allowed[from]);
      expect(isAllowed(from, from)).to.equal(true);
    });
  }
});
