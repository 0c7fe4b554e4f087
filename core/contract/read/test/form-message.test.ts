import { expect } from 'chai';
import { describe, it } from 'mocha';
import { formType, readForm } from '../../index.ts';

const message = (body: string | Uint8Array, type: string | undefined = formType) => ({
  headers: type === undefined ? [] : [['content-TYPE', type] as const],
  body: Buffer.from(body),
});

describe('readForm', () => {
  it('reads a form whatever the parameters and the case of its type', () => {
    for (const type of [formType, `${formType.toUpperCase()} ; charset=utf-8`]) {
      expect([...readForm(message('a=1&b=Zo%C3%AB+M', type))!]).to.deep.equal([
        ['a', '1'],
        ['b', 'Zoë M'],
      ]);
    }
  });

  it('accepts a repeated name that is not listed', () => {
    expect([...readForm(message('a=1&b=2&b=3'), ['a'])!]).to.deep.equal([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  for (const [name, given] of [
    ['another type', message('a=1', 'text/plain')],
    ['an empty type', message('a=1', '')],
    ['a repeated type', { ...message('a=1'), headers: [...message('').headers, ...message('').headers] }],
    ['no type', { ...message('a=1'), headers: [] }],
    ['bytes that are not UTF-8', message(Buffer.from([0x61, 0x3d, 0xff]))],
    ['a broken escape', message('a=%zz')],
    ['escaped bytes that are not UTF-8', message('a=%ff')],
    ['a repeated name', message('a=1&a=1')],
  ] as const) {
    it(`returns nothing for ${name}`, () => {
      expect(readForm(given)).to.equal(undefined);
      expect(readForm(given, ['a'])).to.equal(undefined);
    });
  }
});
