import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  isJsonObject,
  JsonNumber,
  jsonDigits,
  readJson,
  readJsonBody,
  readJsonObject,
  readJsonObjectInSlices,
  v,
} from '../../index.ts';

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

describe('readJsonObjectInSlices', () => {
  it('reads what readJsonObject reads, and nothing else', async () => {
    const texts = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom('', '}', ' x', ',"a":1}'));
    await fc.assert(
      fc.asyncProperty(texts, async ([value, more]) => {
        const body = Buffer.from(JSON.stringify(value) + more);
        expect(await readJsonObjectInSlices(body)).to.deep.equal(readJsonObject(body));
      }),
    );
  });

  it('lets other work run while it reads a long message', async () => {
    const count = 1_000_000;
    const body = Buffer.from(`{"entries":[${'0,'.repeat(count - 1)}0]}`);
    let turns = 0;
    let isOver = false;
    const countTurns = (): void => {
      turns += 1;
      if (!isOver) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const object = await readJsonObjectInSlices(body, { maxValues: count + 2 });
    isOver = true;
    expect(object?.['entries']).to.have.length(count);
    expect(turns).to.be.above(1);
  });

  it('refuses more values than are allowed', async () => {
    expect(await readJsonObjectInSlices(Buffer.from('{"a":[1,2]}'), { maxValues: 3 })).to.equal(undefined);
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
    it(`returns ${expected} for ${text}`, () => expect(isJsonObject(readJson(text))).to.equal(expected));
  }
});
