import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTextEraser, eraseShown } from './texts.ts';

const texts = createTextEraser(['ines@shop.example', 'Ines Duarte', '+351912345678', 'Duarte', '25.90', null]);

describe('what a text says of a payer', () => {
  for (const [text, left] of [
    ['paid by Ines Duarte.', 'paid by [erased].'],
    ['INES@Shop.example, ines duarte', '[erased], [erased]'],
    [
      'https://shop.example/?mail=ines%40shop.example&name=Ines+Duarte',
      'https://shop.example/?mail=[erased]&name=[erased]',
    ],
    ['call +351912345678', 'call [erased]'],
  ] as const) {
    it(`goes: ${text}`, () => {
      expect(texts.erase(text)).to.equal(left);
      expect(texts.isIn(text)).to.equal(true);
    });
  }

  for (const text of [
    'Rua Duarte 12',
    'an amount of 25.90',
    'agnes@shop.example',
    'Pines Duarte',
    'martines@shop.example',
    '',
  ])
    it(`stays, for it may be anything else: ${text}`, () => expect(texts.erase(text)).to.equal(text));

  it('goes from every text inside, and what has none is the same object', () => {
    const other = { at: new Date(0), bytes: Buffer.from('Ines Duarte'), list: ['a', { b: 'c' }] };
    const value = { other, logs: [{ message: 'for Ines Duarte', reference: 'Ines Duarte' }] };
    const left = texts.eraseIn(value, new Set(['reference']));
    expect(left.logs).to.deep.equal([{ message: 'for [erased]', reference: 'Ines Duarte' }]);
    expect(left.other).to.equal(other);
    expect(texts.eraseIn(other)).to.equal(other);
  });

  it('goes from JSON that shows a payment, whose other bytes stay', () => {
    const body =
      '{"data":{"amount":25.90,"clientName":"Ines \\"D\\" Duarte","client":{"name":"X","email":"","id":7},"notes":null,' +
      '"logs":[{"message":"by Ines Duarte","cardLastDigits":"1111"}],"payerName":"Ana"}}';
    expect(eraseShown(body, texts)).to.equal(
      '{"data":{"amount":25.90,"clientName":null,"client":{"name":"","email":"","id":7},"notes":null,' +
        '"logs":[{"message":"by [erased]","cardLastDigits":""}],"payerName":null}}',
    );
  });

  it('goes alone from JSON that shows payments of others too', () => {
    const body = '[{"name":"Duarte","email":"ines@shop.example"},{"name":"Rosa","phone":"+4915112345678"}]';
    expect(eraseShown(body, texts, new Set(['Duarte', 'ines@shop.example']))).to.equal(
      '[{"name":"","email":""},{"name":"Rosa","phone":"+4915112345678"}]',
    );
  });

  it('is nothing where nobody is known', () => {
    expect(createTextEraser(['', null, undefined, 'Al']).erase('Al, and all else')).to.equal('Al, and all else');
  });
});
