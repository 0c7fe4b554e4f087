import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toCsvLine } from './csv.ts';

describe('toCsvLine', () => {
  for (const [text, cell] of [
    ['=1+1', `'=1+1`],
    ['+1', `'+1`],
    ['-1', `'-1`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['＝1', `'＝1`],
    ['a;=HYPERLINK(1)', `a;'=HYPERLINK(1)`],
    ['a; =1', `a;' =1`],
    ['a,=1', `"a,'=1"`],
    ['a|@x', `a|'@x`],
    ['a\n=1', `"a\n'=1"`],
    ['a "b"', '"a ""b"""'],
    ['a-b; c=d', 'a-b; c=d'],
    ['Duarte, Ines', '"Duarte, Ines"'],
    ['', ''],
  ] as const) {
    it(`writes ${JSON.stringify(text)} as ${JSON.stringify(cell)}`, () => {
      expect(toCsvLine([1, text, -2])).to.equal(`1,${cell},-2\r\n`);
    });
  }

  it('keeps decimal text as a number, and guards what is none', () => {
    expect(toCsvLine([{ decimal: '-0.30' }, { decimal: '25.90' }, { decimal: '-1+1' }])).to.equal(
      "-0.30,25.90,'-1+1\r\n",
    );
  });

  it('quotes all text on request', () => {
    expect(toCsvLine(['EUR', 5, 'a;=1'], { quotesText: true })).to.equal(`"EUR",5,"a;'=1"\r\n`);
  });
});
