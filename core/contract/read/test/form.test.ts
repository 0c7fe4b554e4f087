import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { readPairs, readUniquePairs, uniquePairs, writeForm } from '../../index.ts';

describe('helpers for forms', () => {
  it('decode pairs in order, with repeats', () => {
    expect(readPairs('b=2&a=Zo%C3%AB+M&a=&c&=x&d=1=2')).to.deep.equal([
      ['b', '2'],
      ['a', 'Zoë M'],
      ['a', ''],
      ['c', ''],
      ['', 'x'],
      ['d', '1=2'],
    ]);
    expect(readPairs('')).to.deep.equal([]);
    expect(readPairs('&&')).to.deep.equal([]);
  });

  it('read nothing from a broken escape or from bytes that are not UTF-8', () => {
    for (const encoded of ['a=%', 'a=%4', 'a=%zz', 'a=%C3', 'a=%FF', '%E0%80%80=1', 'a=%ED%A0%80']) {
      expect(readPairs(encoded), encoded).to.equal(undefined);
    }
  });

  it('read back what they write', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
        expect(readPairs(writeForm(pairs))).to.deep.equal(pairs);
      }),
    );
  });

  it('leave out members that are undefined, and keep empty ones', () => {
    expect(writeForm({ a: '1', b: undefined, c: '', d: 'x y&z' })).to.equal('a=1&c=&d=x+y%26z');
  });

  it('read a map of names that occur once in one step', () => {
    expect([...readUniquePairs('a=1&b=%32')!]).to.deep.equal([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(readUniquePairs('a=1&b=2&b=3', ['a'])?.get('b')).to.equal('2');
    expect(['a=1&a=1', 'a=%'].map((text) => readUniquePairs(text))).to.deep.equal([undefined, undefined]);
  });

  it('make a map only of names that occur once', () => {
    const pairs = readPairs('a=1&b=2&b=3') ?? [];
    expect(uniquePairs(pairs)).to.equal(undefined);
    expect(uniquePairs(pairs, ['b'])).to.equal(undefined);
    expect([...uniquePairs(pairs, ['a'])!]).to.deep.equal([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(uniquePairs(readPairs('__proto__=1')!)!.get('__proto__')).to.equal('1');
  });
});
