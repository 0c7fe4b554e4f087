import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { createTextEraser, eraseShown } from './texts.ts';

const texts = createTextEraser(['ines@shop.example', 'Ines Duarte', '+351912345678', 'Duarte', '25.90', null]);

describe('createTextEraser', () => {
  for (const [text, left] of [
    ['paid by Ines Duarte.', 'paid by [erased].'],
    ['INES@Shop.example, ines duarte', '[erased], [erased]'],
    [
      'https://shop.example/?mail=ines%40shop.example&name=Ines+Duarte',
      'https://shop.example/?mail=[erased]&name=[erased]',
    ],
    ['call +351912345678', 'call [erased]'],
  ] as const) {
    it(`erases identifiers: ${text}`, () => {
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
    it(`keeps text that may mean something else: ${text}`, () => expect(texts.erase(text)).to.equal(text));

  it('erases identifiers in nested texts, and returns values without any unchanged', () => {
    const other = { at: new Date(0), bytes: Buffer.from('Ines Duarte'), list: ['a', { b: 'c' }] };
    const value = { other, logs: [{ message: 'for Ines Duarte', reference: 'Ines Duarte' }] };
    const left = texts.eraseIn(value, new Set(['reference']));
    expect(left.logs).to.deep.equal([{ message: 'for [erased]', reference: 'Ines Duarte' }]);
    expect(left.other).to.equal(other);
    expect(texts.eraseIn(other)).to.equal(other);
  });

  it('erases members in the JSON of a payment, and keeps all other bytes', () => {
    const body =
      '{"data":{"amount":25.90,"clientName":"Ines \\"D\\" Duarte","client":{"name":"X","email":"","id":7},"notes":null,' +
      '"logs":[{"message":"by Ines Duarte","cardLastDigits":"1111"}],"payerName":"Ana"}}';
    expect(eraseShown(body, texts)).to.equal(
      '{"data":{"amount":25.90,"clientName":null,"client":{"name":"","email":"","id":7},"notes":null,' +
        '"logs":[{"message":"by [erased]","cardLastDigits":""}],"payerName":null}}',
    );
  });

  it('erases only the data of the payer in JSON with payments of other payers', () => {
    const body = '[{"name":"Duarte","email":"ines@shop.example"},{"name":"Rosa","phone":"+4915112345678"}]';
    expect(eraseShown(body, texts, new Set(['Duarte', 'ines@shop.example']))).to.equal(
      '[{"name":"","email":""},{"name":"Rosa","phone":"+4915112345678"}]',
    );
  });

  const expectErased = (...names: readonly string[]): void => {
    const eraser = createTextEraser(names);
    for (const name of names) {
      for (const spelled of [name, JSON.stringify(name).slice(1, -1), encodeURIComponent(name)])
        expect(eraser.erase(`(paid by ${spelled})`), JSON.stringify(name)).to.equal('(paid by [erased])');
    }
  };

  it('erases a name that contains any printable character', () => {
    const characters = Array.from({ length: 0x2fff - 0x20 }, (_, at) => String.fromCodePoint(at + 0x20));
    const printable = characters.filter((one) => !/[\p{C}\p{Z}]/u.test(one));
    for (let at = 0; at < printable.length; at += 500)
      expectErased(...printable.slice(at, at + 500).map((character) => `Anne${character}Marie Dubois`));
  });

  it('erases a name of any characters', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 3, maxLength: 20 }).map((text) => text.trim());
    const name = fc.tuple(word, word).map(([first, last]) => `X${first} ${last}X`);
    fc.assert(
      fc.property(name, (one) => expectErased(one)),
      { numRuns: 200 },
    );
  });

  it('erases nothing without identifiers', () => {
    expect(createTextEraser(['', null, undefined, 'Al']).erase('Al, and all else')).to.equal('Al, and all else');
  });
});
