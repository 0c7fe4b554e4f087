/** Changes the signature of a message in every spelling that providers use. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { brokenOpaqueRuns, brokenSignatures, partsOf } from '../testing/conformance/message-parts.ts';

const [mine, other] = ['mine', 'other'].map((text) => createHash('sha256').update(text).digest());
const url = (bytes: Buffer): string => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');

const spellings: readonly (readonly [
  what: string,
  write: (bytes: Buffer) => string,
  read: (text: string) => Buffer,
])[] = [
  ['hex', (bytes) => bytes.toString('hex'), (text) => Buffer.from(text, 'hex')],
  ['hex in capitals', (bytes) => bytes.toString('hex').toUpperCase(), (text) => Buffer.from(text, 'hex')],
  ['base64', (bytes) => bytes.toString('base64'), (text) => Buffer.from(text, 'base64')],
  ['base64 without padding', (bytes) => bytes.toString('base64').slice(0, -1), (text) => Buffer.from(text, 'base64')],
  ['base64url', (bytes) => bytes.toString('base64url'), (text) => Buffer.from(text, 'base64url')],
  ['base64url with padding', url, (text) => Buffer.from(text, 'base64url')],
  ['base64 after an equals sign', (bytes) => `t=17,v1=${bytes.toString('base64')}`, readAfterComma],
  ['the third part of a token', (bytes) => `head.payload.${bytes.toString('base64url')}`, readLastPart],
];

function readAfterComma(text: string): Buffer {
  return Buffer.from(text.replace('t=17,v1=', ''), 'base64');
}
function readLastPart(text: string): Buffer {
  return Buffer.from(text.split('.')[2] ?? '', 'base64url');
}

function differingBits(left: Buffer, right: Buffer): number {
  expect(left.length).to.equal(right.length);
  const bits = [...left].map((byte, at) => (byte ^ right[at]!).toString(2).replaceAll('0', '').length);
  return bits.reduce((sum, one) => sum + one, 0);
}

describe('brokenSignatures', () => {
  for (const [what, write, read] of spellings) {
    it(`flips one bit of a signature as ${what}, and keeps its spelling`, () => {
      const broken = brokenSignatures(write(mine!), write(other!));
      expect(broken.length).to.equal(3);
      for (const value of broken) {
        expect(differingBits(read(value), mine!)).to.equal(1);
        expect(write(read(value))).to.equal(value);
      }
    });
  }

  it('changes only what differs from the other signature', () => {
    const head = createHash('sha256').update('the same in both').digest('hex');
    for (const value of brokenSignatures(`${head} ${mine!.toString('hex')}`, `${head} ${other!.toString('hex')}`))
      expect(value.startsWith(`${head} `)).to.equal(true);
    expect(brokenSignatures(head, head)).to.deep.equal([]);
  });
});

describe('brokenOpaqueRuns', () => {
  it('changes values without a pattern, and neither words, numbers nor ids', () => {
    expect(brokenOpaqueRuns(`sha256=${mine!.toString('hex')}`).length).to.equal(1);
    expect(brokenOpaqueRuns(mine!.toString('base64')).length).to.equal(1);
    for (const value of [
      'application/json; charset=utf-8',
      '4200000000000000017',
      '8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
      'GW-10042-1',
      'https://acme.example/payments/of/the/shop',
    ])
      expect(brokenOpaqueRuns(value), value).to.deep.equal([]);
  });
});

describe('partsOf', () => {
  const headers: readonly (readonly [string, string])[] = [
    ['X-Sign', 'a'],
    ['X-Other', 'b'],
  ];
  const changed = (body: string, what: string, query = ''): string => {
    const part = partsOf({ headers, query, body: Buffer.from(body) }).find((one) => one.what === what)!;
    const message = part.put('x+/=');
    return `${part.value} ${message.query} ${Buffer.from(message.body).toString()}`;
  };

  it('changes one header, pair or text, and keeps the other bytes', () => {
    expect(changed('', 'pair sign', 'a=%7E1&sign=c%2Fd&b=2')).to.equal('c/d a=%7E1&sign=x%2B%2F%3D&b=2 ');
    expect(changed('a=%7E1&sign=c%2Bd', 'pair sign')).to.equal('c+d  a=%7E1&sign=x%2B%2F%3D');
    const json = '{ "a":1.50, "items":[{"sign": "c\\/d"}], "b":"é" }';
    expect(changed(json, 'member sign')).to.equal('c/d  { "a":1.50, "items":[{"sign": "x+/="}], "b":"é" }');
    expect(changed('<a><sign>c</sign></a>', 'the body')).to.equal('<a><sign>c</sign></a>  x+/=');
  });

  it('leaves out a header or a pair', () => {
    const parts = partsOf({ headers, query: 'a=1&sign=2', body: Buffer.alloc(0) });
    expect(parts.map(({ what, drop }) => [what, drop?.().headers.length, drop?.().query])).to.deep.equal([
      ['header X-Sign', 1, 'a=1&sign=2'],
      ['header X-Other', 1, 'a=1&sign=2'],
      ['pair a', 2, 'sign=2'],
      ['pair sign', 2, 'a=1'],
    ]);
  });
});
