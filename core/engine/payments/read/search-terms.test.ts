import { expect } from 'chai';
import { describe, it } from 'mocha';
import { partsOf, readMoney, termsOf, type SearchTerms } from './search-terms.ts';

describe('readMoney', () => {
  for (const [text, amounts, units] of [
    ['25.90', ['25.9'], []],
    ['25,90', ['25.9'], []],
    ['€25.90', ['25.9'], ['EUR']],
    ['25.90 eur', ['25.9'], ['EUR']],
    ['EUR 1.234,50', ['1234.5'], ['EUR']],
    ['1,234.50', ['1234.5'], []],
    ['1 234,50 €', ['1234.5'], ['EUR']],
    ['1’234.50', ['1234.5'], []],
    ['1,234,567', ['1234567'], []],
    ['1,234', ['1.234', '1234'], []],
    ['0.125', ['0.125'], []],
    ['¥500', ['500'], ['JPY', 'CNY']],
    ['0.0021 btc', ['0.0021'], ['BTC']],
  ] as const) {
    it(`reads ${text}`, () => expect(readMoney(text)).to.deep.equal({ amounts, units }));
  }

  for (const text of ['', 'EUR', '25.', '25.90.', '-5', '€25 EUR', '12 34ab!', 'ten'])
    it(`refuses "${text}"`, () => expect(readMoney(text)).to.equal(undefined));
});

describe('termsOf', () => {
  const cases: readonly (readonly [text: string, terms: SearchTerms])[] = [
    ['Ana Silva', { words: ['ana', 'silva'] }],
    ['ana.silva', { words: ['ana', 'silva'], email: 'ana.silva' }],
    ['Ana@Mail.example', { email: 'ana@mail.example' }],
    ['+351 912 345 678', { phone: '876543219153' }],
    ['…1111', { lastFour: '1111' }],
    ['1111', { id: 1111, lastFour: '1111', money: { amounts: ['1111'], units: [] } }],
    ['GW-10042-1-R2', { id: 10042 }],
    ['charged back', { words: ['charged', 'back'], problem: 'charged_back' }],
    ['E-wallet', { words: ['e', 'wallet'], email: 'e-wallet', method: 'ewallet_redirect' }],
    ['Insufficient funds', { words: ['insufficient', 'funds'], decline: '51' }],
    ['cancelled', { words: ['cancelled'], email: 'cancelled', status: 'cancelled' }],
    ['a', {}],
    ['?', {}],
  ];
  for (const [text, terms] of cases) it(`reads ${text}`, () => expect(termsOf(text)).to.deep.equal(terms));
});

describe('partsOf', () => {
  const isName = (text: string): boolean => text === 'provider a';
  for (const [text, parts] of [
    ['rossi 210', ['rossi', '210']],
    ['210 rossi', ['210', 'rossi']],
    [' rossi   25,90 € ', ['rossi', '25,90 €']],
    ['EUR 25.90 rossi paid', ['EUR 25.90', 'rossi', 'paid']],
    ['rossi insufficient funds provider a', ['rossi', 'insufficient funds', 'provider a']],
    ['ana maria silva 1111', ['ana', 'maria', 'silva', '1111']],
    ['1111 210', ['1111', '210']],
    ['rossi', []],
    ['25.90 EUR', []],
    ['charged twice', []],
    ['a b c d e', []],
    ['', []],
    ['210 '.repeat(11), []],
  ] as const)
    it(`splits "${text.trim().slice(0, 40)}"`, () => expect(partsOf(text, isName)).to.deep.equal(parts));
});
