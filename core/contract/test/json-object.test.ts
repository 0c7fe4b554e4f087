import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isJsonObject, JsonNumber, jsonDigits, readJson, readJsonBody, readJsonObject, v } from '../index.ts';

describe('readJsonObject', () => {
  it('reads an object, numbers as spelled', () => {
    const object = readJsonObject(Buffer.from('{"sum":25.90,"name":"Zoë","__proto__":null}'));
    expect(object?.['sum']).to.be.instanceOf(JsonNumber).with.property('text', '25.90');
    expect(Object.entries(object ?? {}).slice(1)).to.deep.equal([
      ['name', 'Zoë'],
      ['__proto__', null],
    ]);
    expect(readJsonObject(Buffer.from('{}'))).to.not.equal(undefined);
  });

  for (const text of ['', '[]', '[{}]', '1', '"a"', 'null', 'true', '{"a":1,"a":2}', '{} {}', '\ufeff{}']) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(readJsonObject(Buffer.from(text))).to.equal(undefined));
  }

  it('refuses bytes that are not UTF-8', () => {
    expect(readJsonObject(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).to.equal(undefined);
  });
});

describe('readJsonBody', () => {
  const schema = v.object({ minor: jsonDigits(3) });
  const read = (text: string) => readJsonBody(schema, { body: Buffer.from(text) });

  it('reads an object by its schema', () => {
    expect(read('{"minor":25,"more":null}')).to.deep.equal({ minor: '25' });
  });

  for (const text of ['', '[]', '{"minor":"25"}', '{"minor":2500}', '{}']) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(read(text)).to.equal(undefined));
  }
});

describe('isJsonObject', () => {
  for (const [text, expected] of [
    ['{}', true],
    ['{"a":1}', true],
    ['[]', false],
    ['7', false],
    ['null', false],
    ['"text"', false],
  ] as const) {
    it(`says ${expected} of ${text}`, () => expect(isJsonObject(readJson(text))).to.equal(expected));
  }
});
