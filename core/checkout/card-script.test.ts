/** Tests how the page's script helps while a payer types a card. Uses the compiled file that browsers get. */
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { passesLuhn } from '../http/input/card-numbers.ts';
import { cardBrandOf, cardBrands, type CardBrand } from './card-brands.ts';

interface CardScript {
  brandOf(digits: string, brands: readonly CardBrand[]): CardBrand;
  groupDigits(digits: string, groups: readonly number[]): string;
  isCheckedNumber(digits: string): boolean;
  numberProblem(digits: string, brand: CardBrand): string | undefined;
  writeExpiration(text: string, isTakingAway: boolean): string;
  expirationProblem(text: string, now: Date): string | undefined;
  cvvProblem(text: string, brand: CardBrand): string | undefined;
}

const context = createContext({});
runInContext(readFileSync(new URL('browser/card.js', import.meta.url), 'utf8'), context);
const script = context as unknown as CardScript;
const brandOf = (digits: string): CardBrand => script.brandOf(digits, cardBrands);

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
      expect(script.numberProblem(digits, brandOf(digits))).to.equal(undefined);
      expect(script.numberProblem(digits.slice(0, -1), brandOf(digits))).to.equal('wrong');
    });
  }

  it('checks the check digit as the gateway does', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,19}$/), (digits) => script.isCheckedNumber(digits) === passesLuhn(digits)),
    );
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

  it('distinguishes an invalid month from an expired one', () => {
    const now = new Date('2026-11-21T12:00:00Z');
    const found = ['11/26', '12/30', '10/26', '13/30', '1/30', '12/2030', ''].map((text) =>
      script.expirationProblem(text, now),
    );
    expect(found).to.deep.equal([undefined, undefined, 'expired', 'wrong', 'wrong', undefined, 'wrong']);
  });

  it('reads no expiration of more than 200 characters', () => {
    const now = new Date('2026-11-21T12:00:00Z');
    const padded = (length: number): string => `12${' '.repeat(length - 5)}/30`;
    const found = [200, 201].map((length) => script.expirationProblem(padded(length), now));
    expect(found).to.deep.equal([undefined, 'wrong']);
  });

  it('requires as many digits as the security code of the brand has', () => {
    const [visa, amex] = [brandOf('4'), brandOf('37')];
    expect(['123', '1234', '12', ''].map((text) => script.cvvProblem(text, visa))).to.deep.equal([
      undefined,
      'wrong',
      'wrong',
      'wrong',
    ]);
    expect(script.cvvProblem('1234', amex)).to.equal(undefined);
  });
});
