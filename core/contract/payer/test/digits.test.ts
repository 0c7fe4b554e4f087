import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isBlank, readCode, toAsciiDigits } from '../../index.ts';

describe('toAsciiDigits', () => {
  it('reads the digits of Arabic, Persian, Hindi, Bengali, Thai and full-width keyboards', () => {
    const texts = ['٤١١١ ١١١١', '۴۱۱۱ ۱۱۱۱', '४१११ ११११', '৪১১১ ১১১১', '๔๑๑๑ ๑๑๑๑', '４１１１ １１１１'];
    expect(texts.map(toAsciiDigits)).to.deep.equal(texts.map(() => '4111 1111'));
    expect(toAsciiDigits('＋٩٧١ ٥٠／𝟗')).to.equal('+971 50/9');
  });

  it('reads every decimal digit of Unicode as its value', () => {
    const digits = Array.from({ length: 0x11_0000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((character) => /^\p{Nd}$/u.test(character));
    expect(digits.length).to.be.at.least(650);
    // Unicode lists the digits of each script from zero to nine.
    digits.forEach((digit, at) =>
      expect(toAsciiDigits(digit), digit.codePointAt(0)?.toString(16)).to.equal(String(at % 10)),
    );
  });

  it('keeps letters, and numbers that are not decimal digits', () => {
    const text = 'a²½Ⅷ①十-é🂡';
    expect(toAsciiDigits(text)).to.equal(text);
  });
});

describe('readCode', () => {
  it('drops blanks and invisible marks, and reads any digits', () => {
    expect(['246 810', '٢٤٦٨١٠', ' \u200f२४६\u00a0८१०\t', '２４６８１０'].map(readCode)).to.deep.equal(
      Array<string>(4).fill('246810'),
    );
    expect(readCode('ab 12-c')).to.equal('ab12-c');
  });
});

describe('isBlank', () => {
  it('counts absent text, white space and invisible marks as blank', () => {
    for (const text of [undefined, null, '', ' ', '\t\n\u00a0\u3000', '\u200b\u200f\ufeff'])
      expect(isBlank(text)).to.equal(true);
    for (const text of ['0', '-', ' a ']) expect(isBlank(text)).to.equal(false);
  });
});
