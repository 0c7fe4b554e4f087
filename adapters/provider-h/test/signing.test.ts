import { expect } from 'chai';
import { describe, it } from 'mocha';
import { canonicalText, digestOf, readMessage } from '../signing.ts';

describe('the canonical text', () => {
  it('matches, with the digest, the worked example of the protocol', () => {
    const body =
      '{"shop":"M-7300412","pay_no":9007199254740993771, "want":{"n":25.90,"cur":"EUR"},"got":{"n":1.2e-6,"coin":"BTC"},"note":"a\\/b","hash":null}';
    const text =
      '{"got":{"coin":"BTC","n":1.2e-6},"hash":null,"note":"a/b","pay_no":9007199254740993771,"shop":"M-7300412","want":{"cur":"EUR","n":25.90}}';
    expect(canonicalText(body)).to.equal(text);
    expect(digestOf('example-secret', text).toString('hex')).to.equal(
      '57dd8348966510dfc152d048fc7fd3158e3a1496748279f1d5b81b3dd1361f08d94ebe32f330922bfc4bafe3d724661e10227a59e86f2682118279522b4870c0',
    );
  });

  for (const [name, body, text] of [
    ['orders members at every depth', '{"b":[{"d":1,"c":2}],"a":{}}', '{"a":{},"b":[{"c":2,"d":1}]}'],
    [
      'orders by code units: upper case before lower case, a surrogate before U+FF5E',
      '{"～":1,"😀":2,"a":3,"Z":4,"10":5,"9":6}',
      '{"10":5,"9":6,"Z":4,"a":3,"😀":2,"～":1}',
    ],
    ['orders by the decoded name', '{"b":1,"\\u0061":2}', '{"a":2,"b":1}'],
    ['has no special names', '{"b":1,"__proto__":{"y":1,"x":2}}', '{"__proto__":{"x":2,"y":1},"b":1}'],
    ['keeps the order of items', '[3, 1 ,2]', '[3,1,2]'],
    [
      'keeps numbers unchanged',
      '[25.90,1.2e-6,0,-0.0,1E+2,9007199254740993771]',
      '[25.90,1.2e-6,0,-0.0,1E+2,9007199254740993771]',
    ],
    ['keeps short escapes', '"\\u0022\\u005c\\u0008\\u000c\\u000a\\u000d\\u0009"', '"\\"\\\\\\b\\f\\n\\r\\t"'],
    ['writes other control characters in lower hex', '"\\u001F\\u0000"', '"\\u001f\\u0000"'],
    ['writes lone surrogates in lower hex', '"\\uD83D \\uDE00"', '"\\ud83d \\ude00"'],
    ['joins surrogates that belong together', '"\\uD83D\\uDE00"', '"😀"'],
    ['leaves all other characters raw', '"\\/\\u007f\\u2028\\u00e9"', '"/\u007f\u2028é"'],
    ['keeps true, false and null', '[true,false,null]', '[true,false,null]'],
  ] as const) {
    it(name, () => expect(canonicalText(body)).to.equal(text));
  }
});

describe('a message', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  for (const body of ['{}', ' [1]\n', 'null', '"text"', nested(16)]) {
    it(`is accepted as ${body.trim()}`, () => expect(readMessage(Buffer.from(body))?.text).to.equal(body));
  }

  for (const [name, body] of [
    ['empty', ''],
    ['cut', '{"a":1'],
    ['followed by more', '{} {}'],
    ['a repeated member', '{"a":1,"a":1}'],
    ['a repeated member in another spelling', '{"a":1,"\\u0061":1}'],
    ['seventeen deep', nested(17)],
    ['a byte order mark', '\ufeff{}'],
    ['a leading zero', '[01]'],
    ['a raw control character', '"\u0001"'],
    ['a comment', '{}//'],
    ['other bytes than UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0xbd, 0x22])],
  ] as const) {
    it(`is refused with ${name}`, () => expect(readMessage(Buffer.from(body as string))).to.equal(undefined));
  }
});
