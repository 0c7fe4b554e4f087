import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  decimalText,
  defined,
  JsonError,
  JsonNumber,
  hmac,
  jsonDecimal,
  jsonDigits,
  jsonInteger,
  lenient,
  readAs,
  readJson,
  readJsonText,
  stringifyExact,
  toPlain,
  v,
  writeJson,
  type JsonValue,
} from '../../index.ts';

describe('strict JSON', () => {
  it('reads every JSON value', () => {
    const text = ' {"a" : [1, -2.50e+3, true,false,null, "x"],"b":{},"c":[ ]}\n';
    expect(writeJson(readJsonText(text))).to.equal('{"a":[1,-2.50e+3,true,false,null,"x"],"b":{},"c":[]}');
  });

  it('keeps what JSON.parse reads, for every value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(writeJson(readJsonText(text)))).to.deep.equal(JSON.parse(text));
      }),
    );
  });

  it('accepts only what JSON.parse accepts', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '1',
      '-',
      '0',
      '.',
      'e',
      'true',
      'nul',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (!valid) expect(readJson(text), text).to.equal(undefined);
        else if (!/"a".*"a"|"b".*"b"/.test(text)) expect(readJson(text), text).not.to.equal(undefined);
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what RFC 8259 does not allow', () => {
    const bad = [
      '',
      ' ',
      '{',
      '[1,]',
      '{"a":1,}',
      '{a:1}',
      "{'a':1}",
      '01',
      '-01',
      '+1',
      '1.',
      '.5',
      '1e',
      '-',
      'NaN',
      'Infinity',
      'tru',
      'True',
      '"',
      '"\n"',
      '"\t"',
      '"\u0000"',
      '"\\x"',
      '"\\u12"',
      '"\\u12G4"',
      '1 2',
      '{} x',
      '[1 2]',
      '{"a" 1}',
      '\u00a01',
      '\ufeff{}',
      '// c\n1',
      '[1]]',
    ];
    for (const text of bad) expect(readJson(text), JSON.stringify(text)).to.equal(undefined);
  });

  it('refuses a duplicate member, at any depth and however it is escaped', () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"a":1,"\\u0061":2}',
      '[{"x":{"b":1,"b":2}}]',
      '{"__proto__":1,"__proto__":2}',
    ]) {
      expect(readJson(text), text).to.equal(undefined);
    }
  });

  it('treats __proto__ and similar names as members like any other', () => {
    const read = readJson('{"__proto__":{"admin":true},"constructor":1,"hasOwnProperty":2}') as Record<string, unknown>;
    expect(Object.keys(read)).to.deep.equal(['__proto__', 'constructor', 'hasOwnProperty']);
    expect(read['admin']).to.equal(undefined);
    expect(({} as Record<string, unknown>)['admin']).to.equal(undefined);
    expect(writeJson(readJsonText('{"__proto__":1}'))).to.equal('{"__proto__":1}');
  });

  it('reads as many members of an object as any message has, and no more', () => {
    const withMembers = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":0`).join()}}`;
    expect(Object.keys(readJson(withMembers(10_000)) as object)).to.have.length(10_000);
    expect(readJson(withMembers(10_001))).to.equal(undefined);
  });

  it('reads nesting up to the limit and nothing deeper', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(readJson(nested(64))).not.to.equal(undefined);
    expect(readJson(nested(65))).to.equal(undefined);
    expect(readJson(nested(16), { maxDepth: 16 })).not.to.equal(undefined);
    expect(readJson(nested(17), { maxDepth: 16 })).to.equal(undefined);
    expect(readJson('{"a":'.repeat(100_000)), 'no stack overflow').to.equal(undefined);
  });

  it('keeps every number as it was spelled', () => {
    for (const text of ['25.90', '1.2e-6', '0', '-0.0', '9007199254740993771', '1E400', '2.59E+1']) {
      const value = readJsonText(text);
      expect(value).to.be.instanceOf(JsonNumber);
      expect(writeJson(value)).to.equal(text);
    }
  });

  it('gives a whole number only if a double holds it', () => {
    const cases = [
      ['2590', 2590],
      ['-3', -3],
      ['9007199254740991', 9007199254740991],
      ['9007199254740993', undefined],
      ['1.0', undefined],
      ['1e3', undefined],
    ] as const;
    for (const [text, value] of cases) expect(new JsonNumber(text).toSafeInteger(), text).to.equal(value);
  });

  it('stringifies a read value without rounding it', () => {
    const text = '{"n":25.90,"big":9007199254740993771,"small":7}';
    expect(JSON.stringify(readJson(text))).to.equal('{"n":"25.90","big":"9007199254740993771","small":7}');
  });

  it('keeps lone surrogates, escaped in lower case', () => {
    expect(writeJson(readJsonText('"\\uD83D"'))).to.equal('"\\ud83d"');
    expect(writeJson(readJsonText('"\\uDE00x\\uD83D\\uDE00"'))).to.equal('"\\ude00x😀"');
  });

  it('reports the position of a fault, never the content', () => {
    expect(() => readJsonText('{"pan":"4111111111111111" x}'))
      .to.throw(JsonError, 'position 26')
      .with.property('message')
      .that.does.not.include('4111');
  });

  it('writes the canonical text of provider H’s worked example, and its digest', () => {
    const body =
      '{"shop":"M-7300412","pay_no":9007199254740993771, "want":{"n":25.90,"cur":"EUR"},"got":{"n":1.2e-6,"coin":"BTC"},"note":"a\\/b","hash":null}';
    const canonical = writeJson(readJsonText(body, { maxDepth: 16 }), { sorted: true });
    expect(canonical).to.equal(
      '{"got":{"coin":"BTC","n":1.2e-6},"hash":null,"note":"a/b","pay_no":9007199254740993771,"shop":"M-7300412","want":{"cur":"EUR","n":25.90}}',
    );
    expect(hmac('sha512', 'example-secret', canonical).toString('hex')).to.equal(
      '57dd8348966510dfc152d048fc7fd3158e3a1496748279f1d5b81b3dd1361f08d94ebe32f330922bfc4bafe3d724661e10227a59e86f2682118279522b4870c0',
    );
  });

  it('sorts members by UTF-16 code units at every depth, and items not at all', () => {
    const text = '{"b":[{"z":1,"a":2}],"\ufb33":1,"😀":2,"a":3,"B":4,"10":5,"9":6,"":7}';
    expect(writeJson(readJsonText(text), { sorted: true })).to.equal(
      '{"":7,"10":5,"9":6,"B":4,"a":3,"b":[{"a":2,"z":1}],"😀":2,"\ufb33":1}',
    );
  });

  it('escapes as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(writeJson(readJsonText(JSON.stringify(text)))).to.equal(JSON.stringify(text));
      }),
    );
  });

  it('reads nothing from nothing', () => {
    expect(readJson(undefined)).to.equal(undefined);
  });
});

describe('stringifyExact', () => {
  it('writes numbers as they were spelled, next to other values and at any depth', () => {
    const number = fc.constantFrom('0', '25.9', '25.90', '-0', '1e400', '2.59E+1', '9007199254740993', '0.1', '1e21');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        number.map((text) => new JsonNumber(text)),
        fc.string(),
        fc.constantFrom(null, true, false),
        fc.array(tie('value')),
        fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,4}$/), tie('value'))).map((members) => new Map(members)),
      ),
    }));
    fc.assert(
      fc.property(value as fc.Arbitrary<JsonValue>, (json) => {
        expect(stringifyExact(toPlain(json))).to.equal(writeJson(json));
      }),
    );
  });

  it('leaves out members that are undefined, and writes dates as text', () => {
    const value = { a: undefined, at: new Date(0), amounts: [undefined, new JsonNumber('1.50')] };
    expect(stringifyExact(value)).to.equal('{"at":"1970-01-01T00:00:00.000Z","amounts":[null,1.50]}');
    expect(stringifyExact({ ...value, amounts: [new JsonNumber('1.5')] })).to.match(/"amounts":\[1\.5\]/);
  });
});

describe('JSON schemas', () => {
  const read = (schema: v.GenericSchema, text: string) => readAs(schema, toPlain(readJsonText(text)));

  it('accept digits up to a length, as they are written', () => {
    expect(read(jsonDigits(15), '2590')).to.equal('2590');
    expect(read(jsonDigits(18), '900719925474099377')).to.equal('900719925474099377');
    expect(read(jsonDigits(1), '0')).to.equal('0');
    for (const text of ['-1', '1.0', '1e3', '1234567890123456', '"25"', 'null', 'true']) {
      expect(read(jsonDigits(15), text), text).to.equal(undefined);
    }
  });

  it('accept whole numbers that a double holds', () => {
    expect(read(jsonInteger(), '-42')).to.equal(-42);
    for (const text of ['1.5', '1.0', '9007199254740993', '"1"']) expect(read(jsonInteger(), text)).to.equal(undefined);
  });

  it('accept decimals of any spelling', () => {
    expect(read(jsonDecimal(), '2.59E+1')).to.equal('25.9');
    for (const text of ['-1', '"25.9"', 'null', '1e-40']) expect(read(jsonDecimal(), text), text).to.equal(undefined);
  });

  it('accept text that is a plain decimal, as it is spelled', () => {
    expect(read(decimalText, '"25.90"')).to.equal('25.90');
    for (const text of ['25.90', '"-1"', '"2.59E+1"', '""', '" 1"'])
      expect(read(decimalText, text), text).to.equal(undefined);
  });

  it('read a message whose lenient member is missing or has another form', () => {
    const Message = v.object({ ref: v.string(), at: lenient(jsonInteger()) });
    expect(read(Message, '{"ref":"x","at":7}')).to.deep.equal({ ref: 'x', at: 7 });
    for (const text of ['{"ref":"x"}', '{"ref":"x","at":null}', '{"ref":"x","at":"7"}']) {
      expect(defined(read(Message, text) ?? {}), text).to.deep.equal({ ref: 'x' });
    }
    expect(read(Message, '{"at":7}')).to.equal(undefined);
  });

  it('check a whole message', () => {
    const Message = v.looseObject({ ref: v.string(), sum: v.looseObject({ minor: jsonDigits(15), cur: v.string() }) });
    expect(read(Message, '{"ref":"x","sum":{"minor":2590,"cur":"EUR"},"more":1}')).to.deep.include({ ref: 'x' });
    expect(read(Message, '{"ref":"x","sum":{"minor":"2590","cur":"EUR"}}')).to.equal(undefined);
    expect(read(Message, '[]')).to.equal(undefined);
  });
});
