// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { isExpired, readExpiry, writeExpiry } from '../../index.ts';

describe('readExpiry', () => {
  const january = { month: '01', year: '2030' };
  for (const text of [
    '1/30',
    '01/30',
    '1-30',
    '1.30',
    '01-30',
    '01.30',
    '01 30',
    '01 / 30',
    '1/2030',
    '01/2030',
    '01-2030',
    '0130',
    '130',
    '012030',
    '12030',
    '203001',
    '2030-01',
    '2030/1',
    '2030 01',
    ' 01/30 ',
    '\u200f٠١/٣٠',
    '०१/३०',
    '０１／３０',
    '01–30',
    'January 2030',
    'january 30',
    'Jan 2030',
    'Jan. 2030',
    '2030 January',
    '2030年1月',
  ]) {
    it(`reads ${JSON.stringify(text)} as January 2030`, () => {
      expect(readExpiry(text)).to.deep.equal(january);
    });
  }

  it('reads the names of months in the language of the page', () => {
    for (const [language, text] of [
      ['de', 'März 2030'],
      ['es', 'marzo de 2030'],
      ['pt', 'março 2030'],
      ['hi', 'मार्च 2030'],
      ['ar', 'مارس ٢٠٣٠'],
      ['de', 'March 2030'],
    ] as const)
      expect(readExpiry(text, language), text).to.deep.equal({ month: '03', year: '2030' });
  });

  for (const text of [
    '',
    '1',
    '12',
    '12/',
    '12/3',
    '13/30',
    '00/30',
    '0/30',
    '30/01',
    '112',
    '120',
    '2030',
    '203',
    '01/203',
    '01/1930',
    '01/3000',
    '01/30/2030',
    '2030-01-31',
    '01/3o',
    'Smarch 2030',
    'January',
    '²/30',
    `12/${' '.repeat(200)}30`,
  ]) {
    it(`refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(readExpiry(text)).to.equal(undefined);
    });
  }

  it('reads every month in every spelling back to the same month', () => {
    const spellings = [
      (m: number, y: number) => `${m}/${y % 100}`,
      (m: number, y: number) => `${pad(m)}-${y % 100}`,
      (m: number, y: number) => `${pad(m)}.${y}`,
      (m: number, y: number) => `${m} ${y}`,
      (m: number, y: number) => `${y}-${pad(m)}`,
      (m: number, y: number) => `${y}/${m}`,
      (m: number, y: number) => `${pad(m)}${y % 100}`,
      (m: number, y: number) => `${pad(m)}${y}`,
      (m: number, y: number) => `${y}${pad(m)}`,
      (m: number, y: number) =>
        new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.UTC(y, m - 1)),
    ];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 2021, max: 2099 }),
        fc.constantFrom(...spellings),
        (m, y, spell) => {
          const read = readExpiry(spell(m, y));
          expect(read, spell(m, y)).to.deep.equal({ month: pad(m), year: String(y) });
          expect(readExpiry(writeExpiry(read!))).to.deep.equal(read);
        },
      ),
    );
  });

  it('reads long text in no time', () => {
    for (const text of [`12${' '.repeat(1_000_000)}x`, `12${'/'.repeat(1_000_000)}`, 'a'.repeat(1_000_000)])
      expect(readExpiry(text)).to.equal(undefined);
  });
});

describe('isExpired', () => {
  it('becomes true when the month is over in the last time zone on earth', () => {
    const november = { month: '11', year: '2026' };
    expect(isExpired(november, new Date('2026-11-30T23:59:59Z'))).to.equal(false);
    expect(isExpired(november, new Date('2026-12-01T03:00:00Z'))).to.equal(false);
    expect(isExpired(november, new Date('2026-12-01T11:59:59.999Z'))).to.equal(false);
    expect(isExpired(november, new Date('2026-12-01T12:00:00Z'))).to.equal(true);
    expect(isExpired({ month: '12', year: '2026' }, new Date('2027-01-01T11:59:59Z'))).to.equal(false);
    expect(isExpired({ month: '12', year: '2026' }, new Date('2027-01-01T12:00:00Z'))).to.equal(true);
  });
});

function pad(month: number): string {
  return String(month).padStart(2, '0');
}
