import { JsonNumber } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findCardData, refusedCardData } from './card-data.ts';

const card = '4111111111111111';

describe('findCardData', () => {
  for (const [what, body, field] of [
    ['a number', { number: card }, 'number'],
    ['a number that is null', { number: null }, 'number'],
    ['a CVV', { cvv: '737' }, 'cvv'],
    ['a wallet', { wallet: {} }, 'wallet'],
    ['a member of an object', { card: { number: card } }, 'card.number'],
    ['a member of an entry of a batch', { paymentRequests: [{}, { cvv: '1' }] }, 'paymentRequests.1.cvv'],
  ] as const) {
    it(`finds ${what} in every body`, () => {
      for (const pays of [true, false]) expect(findCardData(body, { pays })).to.equal(field);
    });
  }

  for (const [what, body, field] of [
    ['a text', { notes: `my card ${card}` }, 'notes'],
    ['a text with blanks', { name: '4111 1111 1111 1111' }, 'name'],
    ['digits of another script', { name: '٤١١١١١١١١١١١١١١١' }, 'name'],
    ['a JSON number', { cardNumber: new JsonNumber(card) }, 'cardNumber'],
    ['an entry of a list', { lines: ['a', card] }, 'lines.1'],
    ['the name of a member, which it hides', { [card]: 1 }, '[hidden]'],
  ] as const) {
    it(`finds a card number in ${what} of a body that pays, and only there`, () => {
      expect(findCardData(body, { pays: true })).to.equal(field);
      expect(findCardData(body, { pays: false })).to.equal(undefined);
    });
  }

  it('accepts numbers that are no card, and phone numbers that only look like one', () => {
    const phoneNumber = '4222222222222';
    expect(findCardData({ name: phoneNumber }, { pays: true }), 'it passes the Luhn check').to.equal('name');
    for (const body of [
      { phoneNumber },
      { referenceId: '4111111111111112' },
      { token: 'tok_4111' },
      { amount: new JsonNumber('25.90') },
      undefined,
      {},
    ])
      expect(findCardData(body, { pays: true })).to.equal(undefined);
  });
});

describe('refusedCardData', () => {
  it('names the field and the cure, and repeats no value', () => {
    const { kind, message, details } = refusedCardData('number');
    expect(kind).to.equal('INVALID_FORMAT');
    expect(message).to.match(/^number: must be absent, .*: send the payer the link of the payment/);
    expect(details).to.include({ field: 'number', value: '[hidden]' });
  });
});
