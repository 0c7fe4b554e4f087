import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { countJsonValues, JsonError, maxJsonValues, readJsonText } from '../../index.ts';

describe('the number of values of a JSON body', () => {
  function valuesOf(value: unknown): number {
    const held = typeof value === 'object' && value !== null ? Object.values(value) : [];
    return held.reduce<number>((sum, one) => sum + valuesOf(one), 1);
  }

  it('equals the number of values that reading it gives', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
        for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), `\uFEFF${JSON.stringify(value)}`])
          expect(countJsonValues(Buffer.from(text)), text).to.equal(valuesOf(value));
      }),
    );
  });

  for (const [body, count] of [
    ['', 0],
    ['a=[1,2]&b=2', 0],
    ['"text, with [commas]"', 0],
    ['{"a":"\\",[{\\\\",', 3],
    ['[[[[', 5],
    ['["\\', 2],
  ] as const) {
    it(`is ${count} for ${body || 'an empty body'}`, () => {
      expect(countJsonValues(Buffer.from(body))).to.equal(count);
    });
  }

  it('is limited by the bytes that the route accepts', () => {
    expect(maxJsonValues(65_536)).to.equal(6553);
  });

  it('is limited when the body is read', () => {
    expect(readJsonText('[1,[2]]', { maxValues: 4 })).to.have.length(2);
    expect(() => readJsonText('[1,[2,3]]', { maxValues: 4 })).to.throw(JsonError, 'more than 4 values');
    expect(() => readJsonText(`[${'1,'.repeat(104_857)}1]`)).to.throw(JsonError, 'more than 104857 values');
  });
});
