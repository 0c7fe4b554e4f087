// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
// cspell:ignore meera souza nchen
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { narrowCountry, narrowEmail, narrowText } from '../../index.ts';

const latin = /[A-Za-z0-9.'/@() ]/;

describe('narrowText', () => {
  for (const [text, expected] of [
    ['Rao, Meera', 'Rao Meera'],
    ['O’Neil & Sons', 'O Neil Sons'],
    ["D'Souza (Jr.)", "D'Souza (Jr.)"],
    ['Zoë Müller', 'Zoe Muller'],
    ['  Asha   Rao ', 'Asha Rao'],
    ['Ａｓｈａ', 'Asha'],
    ['मीरा राव', undefined],
    ['Łukasz', undefined],
    ['Rao 李', undefined],
    ['Bo', undefined],
    ['--,', undefined],
    ['', undefined],
    ['   ', undefined],
    [undefined, undefined],
    ['x'.repeat(60), 'x'.repeat(50)],
    [`${'x'.repeat(49)} Rao`, 'x'.repeat(49)],
  ] as const) {
    it(`brings ${JSON.stringify(text)?.slice(0, 30)} into 3 to 50 Latin characters`, () => {
      expect(narrowText(text, { minLength: 3, maxLength: 50, accepts: latin })).to.equal(expected);
    });
  }

  it('counts characters, and never cuts one of them in half', () => {
    expect(narrowText('😀'.repeat(4), { maxLength: 3 })).to.equal('😀'.repeat(3));
  });
});

describe('narrowEmail', () => {
  for (const [email, expected] of [
    ['info@shop.example', 'info@shop.example'],
    ['info@münchen.example', 'info@xn--mnchen-3ya.example'],
    ['info@डाटामेल.भारत', 'info@xn--c2bd4bq1db8d.xn--h2brj9c'],
    ['δοκιμή@παράδειγμα.gr', undefined],
    [`${'a'.repeat(60)}@b.example`, undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const) {
    it(`spells ${email?.slice(0, 30)} in at most 64 ASCII characters`, () => {
      expect(narrowEmail(email, 64)).to.equal(expected);
    });
  }
});

describe('narrowCountry', () => {
  it('keeps countries and territories, in the provider’s own code', () => {
    expect(['PT', 'XK', 'HK', 'GB', 'AX'].map((code) => narrowCountry(code))).to.deep.equal([
      'PT',
      'XK',
      'HK',
      'GB',
      'AX',
    ]);
    expect(narrowCountry('XK', { XK: 'QZ' })).to.equal('QZ');
  });

  it('leaves out everything else', () => {
    const odd = ['', 'pt', '??', '12', 'ZZ', 'QQ', 'EU', 'PRT', '😀', undefined];
    expect(odd.map((code) => narrowCountry(code))).to.deep.equal(odd.map(() => undefined));
  });
});
