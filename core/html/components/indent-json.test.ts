import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { indentJson } from './indent-json.ts';

describe('indentJson', () => {
  it('formats a value as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).to.equal(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps every digit of a number', () => {
    expect(indentJson('{"amount":25.90,"id":12345678901234567890}')).to.equal(
      '{\n  "amount": 25.90,\n  "id": 12345678901234567890\n}',
    );
  });
});
