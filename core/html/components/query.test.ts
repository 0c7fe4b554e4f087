import { expect } from 'chai';
import { describe, it } from 'mocha';
import { idIn } from './query.ts';

describe('idIn', () => {
  for (const [form, path, id] of [
    ['/ops', '/ops', ''],
    ['/ops', '/ops/payments', undefined],
    ['/ops/payments/:id', '/ops/payments/42', '42'],
    ['/ops/payments/:id', '/ops/payments/', undefined],
    ['/ops/payments/:id', '/ops/payments/42/refund', undefined],
    ['/ops/alarms/:id', '/ops/alarms/a%3Ab%2Fc', 'a:b/c'],
    ['/ops/alarms/:id', '/ops/alarms/%E0', undefined],
    ['/portal/:id/x', '/portal/7/x', '7'],
    ['/portal/:id/x', '/portal/x', undefined],
  ] as const) {
    it(`reads ${id === undefined ? 'no id' : `"${id}"`} in ${path} by ${form}`, () => {
      expect(idIn(form, path)).to.equal(id);
    });
  }
});
