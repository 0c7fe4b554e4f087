// cspell:ignoreRegExp /\S*[^\x00-\x7f]\S*/g
// cspell:ignore brien strasse lukasz dabrowski orsted
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { nameWords, phoneKey, searchKeysOf } from './search-keys.ts';

const noClient = { name: null, email: null, address: null, phone: null, memberId: null };
const unknown = { client: noClient, payerName: null, payerEmail: null };

describe('searchKeysOf', () => {
  it('has each word, address and number of the client and of the payer once', () => {
    const client = { ...noClient, name: 'Ana Silva', email: 'Ana@Mail.example', phone: '+351 912 345 678' };
    const payer = { payerName: 'Ana Müller', payerEmail: 'ana@mail.example', payerPhone: '00351912345678' };
    expect(searchKeysOf({ client, ...payer })).to.deep.equal([
      'n:ana',
      'n:silva',
      'n:muller',
      'e:ana@mail.example',
      'p:876543219153',
    ]);
  });

  it('is empty for an unknown or an erased payer', () => {
    expect(searchKeysOf(unknown)).to.deep.equal([]);
    expect(searchKeysOf({ ...unknown, payerPhone: '' })).to.deep.equal([]);
  });

  it('has a bounded number of short keys', () => {
    const words = Array.from({ length: 50 }, (_, at) => `word${at}`).join(' ');
    const keys = searchKeysOf({ ...unknown, payerName: words, payerEmail: `${'x'.repeat(300)}@mail.example` });
    expect(keys).to.have.lengthOf(7);
    expect(Math.max(...keys.map((key) => key.length))).to.equal(62);
  });
});

describe('nameWords', () => {
  for (const [name, words] of [
    ['Zoë O’Brien', ['zoe', 'o', 'brien']],
    ['  STRASSE Straße ', ['strasse', 'strasse']],
    ['Łukasz Dąbrowski-Ørsted', ['lukasz', 'dabrowski', 'orsted']],
    ['Ｊｏｓé', ['jose']],
    ['王小明', ['王小明']],
    ['…', []],
  ] as const) {
    it(`reads ${name.trim()}`, () => expect(nameWords(name)).to.deep.equal(words));
  }
});

describe('phoneKey', () => {
  it('is equal for every spelling of a number', () => {
    const spellings = ['+351 912-345-678', '00351912345678', '(351) 912 345 678', '٣٥١٩١٢٣٤٥٦٧٨'];
    expect(new Set(spellings.map(phoneKey))).to.deep.equal(new Set(['876543219153']));
  });

  it('begins with the key of the number without its country code', () => {
    expect(phoneKey('+351 912 345 678')!.startsWith(phoneKey('0912 345 678')!)).to.equal(true);
  });

  it('is undefined for a text of too few digits', () => {
    expect(phoneKey('12345')).to.equal(undefined);
  });
});
