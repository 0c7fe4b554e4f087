// cspell:ignoreRegExp /[^\x00-\x7f]\S*|m(?=ü)\S*/g
/** Tests how the page's script helps while a payer types a card. Uses the compiled files that browsers get. */
import { createContext, runInContext } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import { cardBrandOf, passesLuhn, readExpiry, type CardBrand } from '@paywright/contract';
import { describe, it } from 'mocha';
import { readScripts } from './assets.ts';

interface CardScript {
  digitsOf(text: string): string;
  readonly brandOf: (digits: string) => CardBrand;
  groupDigits(digits: string, groups: readonly number[]): string;
  numberProblem(digits: string): string | undefined;
  writeExpiration(text: string, isTakingAway: boolean, language?: string): string;
  expirationProblem(text: string, now: Date, language?: string): string | undefined;
  cvvProblem(text: string): string | undefined;
}

const names = [
  'digitsOf',
  'brandOf',
  'groupDigits',
  'numberProblem',
  'writeExpiration',
  'expirationProblem',
  'cvvProblem',
];
const script = runInContext(
  `(() => {${readScripts(['card'])}\nreturn { ${names.join(', ')} };})()`,
  createContext({ URL }),
) as CardScript;
const { brandOf } = script;

/** What the field shows while the text is typed key by key. */
function type(text: string): string {
  return Array.from(text).reduce((shown, key) => script.writeExpiration(shown + key, false), '');
}

describe('the card script of the page', () => {
  for (const [digits, brand, shown] of [
    ['4242424242424242', 'Visa', '4242 4242 4242 4242'],
    ['5555555555554444', 'Mastercard', '5555 5555 5555 4444'],
    ['2223003122003222', 'Mastercard', '2223 0031 2200 3222'],
    ['378282246310005', 'American Express', '3782 822463 10005'],
    ['6011111111111117', 'Discover', '6011 1111 1111 1117'],
    ['6074820000000009', 'RuPay', '6074 8200 0000 0009'],
    ['30569309025904', 'Diners Club', '3056 930902 5904'],
    ['3566002020360505', 'JCB', '3566 0020 2036 0505'],
    ['6200000000000005', 'UnionPay', '6200 0000 0000 0005'],
  ] as const) {
    it(`recognises ${digits} as ${brand}, and groups the digits as on the card`, () => {
      expect([brandOf(digits).name, cardBrandOf(digits.slice(0, 6))?.name]).to.deep.equal([brand, brand]);
      expect(script.groupDigits(digits, brandOf(digits).groups)).to.equal(shown);
      expect(script.numberProblem(digits)).to.equal(undefined);
      const mistyped = `${digits.slice(0, -1)}${(Number(digits.at(-1)) + 1) % 10}`;
      expect(script.numberProblem(mistyped)).to.equal('wrong');
    });
  }

  it('accepts exactly the numbers that the gateway accepts, of every brand', () => {
    const number = fc.oneof(fc.stringMatching(/^\d{1,21}$/), fc.stringMatching(/^(3[47]|4|5|60|62|81|82|9)\d{6,18}$/));
    fc.assert(
      fc.property(number, (digits) => {
        const isAccepted = digits.length >= 8 && digits.length <= 19 && passesLuhn(digits);
        expect(script.numberProblem(digits)).to.equal(isAccepted ? undefined : 'wrong');
      }),
    );
    // UnionPay and Hipercard with 19 digits, Hipercard with 13, and 8 digits.
    const published = ['8171999900000000021', '6062828888666688', '6062825624254001', '6062821000007', '40000002'];
    const valid = published.map((digits) =>
      Array.from('0123456789', (last) => digits.slice(0, -1) + last).find(passesLuhn)!,
    );
    for (const digits of valid) expect(script.numberProblem(digits), digits).to.equal(undefined);
  });

  it('reads the digits of any keyboard', () => {
    expect(script.digitsOf('٤١١١ ١١١١ ١١١١ ١١١١')).to.equal('4111111111111111');
    expect(script.writeExpiration('١٢/٣٠', false)).to.equal('12/30');
    expect(script.writeExpiration('१२', false)).to.equal('12/');
    expect(['٧٣٧', '७३७', '7 37'].map((text) => script.cvvProblem(text))).to.deep.equal(Array(3).fill(undefined));
  });

  it('adds the slash of a month automatically, and lets the payer delete it', () => {
    const typed = ['1', '12', '123', '12/30', '1230', '12/2030', '5', '0'];
    expect(typed.map((text) => script.writeExpiration(text, false))).to.deep.equal([
      '1',
      '12/',
      '12/3',
      '12/30',
      '12/30',
      '12/30',
      '05/',
      '0',
    ]);
    expect(['12/', '12', '1'].map((text) => script.writeExpiration(text, true))).to.deep.equal(['12', '12', '1']);
  });

  for (const [text, shown] of [
    ['1/30', '01/30'],
    ['1-30', '01/30'],
    ['1.30', '01/30'],
    ['130', '01/30'],
    ['0130', '01/30'],
    ['01/30', '01/30'],
    ['01-30', '01/30'],
    ['9/30', '09/30'],
    ['930', '09/30'],
    ['12/30', '12/30'],
    ['1230', '12/30'],
    ['1/2030', '01/30'],
    ['12/2030', '12/30'],
    ['122030', '12/30'],
    ['9/2030', '09/30'],
    ['2/30', '02/30'],
    ['230', '02/30'],
    ['2/2030', '02/30'],
    ['2030-01', '01/30'],
    ['2030-1', '2030-1'],
    ['2030/12', '12/30'],
    ['203012', '12/30'],
    ['2030', '2030'],
    ['112', '11/2'],
    ['1', '1'],
    ['0', '0'],
    ['00/30', '00/30'],
    ['January 2030', '01/30'],
    ['x', 'x'],
  ] as const) {
    it(`shows ${shown} for ${text} typed key by key`, () => {
      expect(type(text)).to.equal(shown);
    });
  }

  for (const [text, shown] of [
    ['2030-01', '01/30'],
    ['January 2030', '01/30'],
    ['1/30', '01/30'],
    ['01/2030', '01/30'],
    ['٠١/٣٠', '01/30'],
    ['12 / 30', '12/30'],
    ['13/30', '13/30'],
    ['2030-13', '2030-13'],
  ] as const) {
    it(`shows ${shown} for ${text} filled in by a browser`, () => {
      expect(script.writeExpiration(text, false)).to.equal(shown);
    });
  }

  it('reads the names of months in the page’s language', () => {
    expect(script.writeExpiration('März 2030', false, 'de')).to.equal('03/30');
    expect(script.expirationProblem('März 2030', new Date(0), 'de')).to.equal(undefined);
  });

  it('never shows another month than the typed text names', () => {
    const text = fc.stringMatching(/^[0-9]{1,4}[-/. ]?[0-9]{0,4}$/);
    fc.assert(
      fc.property(text, (given) => {
        const read = readExpiry(given);
        if (read) expect(readExpiry(script.writeExpiration(given, false)), given).to.deep.equal(read);
      }),
      { numRuns: 2000 },
    );
  });

  it('distinguishes an invalid month from an expired one', () => {
    const now = new Date('2026-11-21T12:00:00Z');
    const found = ['11/26', '12/30', '10/26', '13/30', '1/30', '12/2030', ''].map((text) =>
      script.expirationProblem(text, now),
    );
    expect(found).to.deep.equal([undefined, undefined, 'expired', 'wrong', undefined, undefined, 'wrong']);
  });

  it('accepts a month until it is over in the last time zone on earth', () => {
    const [lasting, over] = ['2026-12-01T11:59:59Z', '2026-12-01T12:00:00Z'].map((time) => new Date(time));
    expect(script.expirationProblem('11/26', lasting!)).to.equal(undefined);
    expect(script.expirationProblem('11/26', over!)).to.equal('expired');
  });

  it('reads no expiration of more than 200 characters', () => {
    const now = new Date('2026-11-21T12:00:00Z');
    const padded = (length: number): string => `12${' '.repeat(length - 5)}/30`;
    const found = [200, 201].map((length) => script.expirationProblem(padded(length), now));
    expect(found).to.deep.equal([undefined, 'wrong']);
  });

  it('accepts a security code of three or four digits for every brand', () => {
    expect(['123', '1234', '12', '12345', '12a', ''].map((text) => script.cvvProblem(text))).to.deep.equal([
      undefined,
      undefined,
      'wrong',
      'wrong',
      'wrong',
      'wrong',
    ]);
    expect(cardBrandOf('37')?.name).to.equal('American Express');
  });
});
