import { expect } from 'chai';
import { describe, it } from 'mocha';
import { amountRule, cardBehaviour, isCardNumber } from '../index.ts';

describe('test values of the sandboxes', () => {
  for (const [number, kind, decline] of [
    ['4111111111111111', 'approved'],
    ['5555555555554444', 'approved'],
    ['4000000000000002', 'declined', '05'],
    ['4000000000009995', 'declined', '51'],
    ['4000000000000069', 'declined', '54'],
    ['4000000000000127', 'declined', '57'],
    ['4000000000000259', 'declined', '61'],
    ['4000000000003220', 'challenge'],
    ['4000000000003063', 'pending_approved'],
    ['4000000000003089', 'pending_declined', '05'],
    ['4000000000003097', 'pending_forever'],
    ['4000000000006975', 'silent'],
    ['4000000000000341', 'refunded_later'],
    ['4000000000000440', 'charged_back_later'],
  ] as const) {
    it(`reads card ${number} as ${kind}${decline ? ` ${decline}` : ''}`, () => {
      expect(isCardNumber(number)).to.equal(true);
      expect(cardBehaviour(number)).to.deep.equal(decline ? { kind, decline } : { kind });
    });
  }

  for (const [amount, currency, rule] of [
    ['25.50', 'EUR', '.50'],
    ['25.5', 'EUR', '.50'],
    ['25.05', 'EUR', undefined],
    ['25', 'EUR', undefined],
    ['0.57', 'EUR', '.57'],
    ['25.5', 'KWD', '.50'],
    ['25.505', 'KWD', '.50'],
    ['25.055', 'KWD', undefined],
    ['2550', 'JPY', undefined],
    ['1.64', 'USD', '.64'],
    ['1.65', 'USD', undefined],
  ] as const) {
    it(`finds ${rule ?? 'no rule'} in ${amount} ${currency}`, () => {
      expect(amountRule({ amount, currency })).to.equal(rule);
    });
  }

  it('accepts 8 to 19 digits with a valid check digit as a card number', () => {
    expect(['12345674', '6304000000000000000'].map(isCardNumber)).to.deep.equal([true, true]);
    expect(['1234567', '12345675', '4111 1111 1111 1111', '63040000000000000000', ''].some(isCardNumber)).to.equal(
      false,
    );
  });
});
