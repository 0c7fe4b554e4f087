import { isDeepStrictEqual } from 'node:util';
import { readJson } from '@paywright/contract';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import { requestFingerprint } from './request-fingerprint.ts';
import type { FingerprintedRequest } from './request-fingerprint.ts';
import { expectRefusal } from './testing/expect-refusal.ts';

describe('requestFingerprint', () => {
  const encrypter = testEncrypter();
  const base: FingerprintedRequest = { method: 'POST', path: '/payments/h2h/11', query: '', body: { amount: 10 } };
  const print = (change: Partial<FingerprintedRequest>) => requestFingerprint({ ...base, ...change, encrypter });
  const ofBody = (json: string) => print({ body: readJson(json) });

  for (const [what, one, other] of [
    ['the path under /v2', { path: '/v2/payments/h2h/11' }, {}],
    ['the order of query parameters', { query: 'b=2&a=1&a=0' }, { query: 'a=1&b=2&a=0' }],
    ['how a query is encoded', { query: 'a=x%20y' }, { query: 'a=x+y' }],
    ['the order of members', { body: { a: 1, b: { c: 2, d: 3 } } }, { body: { b: { d: 3, c: 2 }, a: 1 } }],
    ['the cvv', { body: { number: '4', cvv: '123' } }, { body: { number: '4' } }],
    ['a cvv further inside', { body: { card: [{ cvv: '123' }] } }, { body: { card: [{ cvv: '999' }] } }],
  ] as const) {
    it(`ignores ${what}`, () => expect(print(one)).to.equal(print(other)));
  }

  for (const [what, one, other] of [
    ['method', { method: 'PUT' }, {}],
    ['path', { path: '/payments/h2h/12' }, {}],
    ['path that only begins like /v2', { path: '/v2payments' }, { path: 'payments' }],
    ['query', { query: 'send=true' }, {}],
    ['order of one repeated parameter', { query: 'a=1&a=2' }, { query: 'a=2&a=1' }],
    ['value', { body: { amount: 11 } }, {}],
    ['type', { body: { amount: '10' } }, {}],
    ['null for absent', { body: { amount: 10, notes: null } }, {}],
    ['member name', { body: { Amount: 10 } }, {}],
    ['absent body', { body: undefined }, { body: {} }],
    ['order in an array', { body: [1, 2] }, { body: [2, 1] }],
    ['array like an object', { body: { a: 1 } }, { body: [['a', 1]] }],
    ['object that spells our own form', { body: { a: 1 } }, { body: { members: [['a', 1]] } }],
    ['__proto__', { body: readJson('{"__proto__":1}') }, { body: {} }],
  ] as const) {
    it(`differs for another ${what}`, () => expect(print(one)).to.not.equal(print(other)));
  }

  it('compares numbers by value, long ones by their digits', () => {
    expect(ofBody('{"a":25.90}'))
      .to.equal(ofBody('{"a":25.9}'))
      .and.equal(print({ body: { a: 25.9 } }));
    expect(ofBody('{"a":1e2}')).to.equal(ofBody('{"a":100}'));
    expect(ofBody('{"a":0.00}')).to.equal(ofBody('{"a":-0}'));
    expect(ofBody('{"a":12345678901234567890}')).to.not.equal(ofBody('{"a":12345678901234567891}'));
    expect(ofBody('{"a":1e-400}')).to.not.equal(ofBody('{"a":0}'));
    expect(ofBody('{"a":1e400}')).to.not.equal(ofBody('{"a":1e401}'));
  });

  it('is the same for any order of members, and different for any other body', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(print({ body: reversed(one) })).to.equal(print({ body: one }));
        expect(print({ body: one }) === print({ body: other })).to.equal(isSame(one, other));
      }),
      { numRuns: 200 },
    );
  });

  it('is keyed, so that a card number cannot be guessed from it', () => {
    const other = testEncrypter(7);
    expect(print({})).to.not.equal(requestFingerprint({ ...base, encrypter: other }));
  });

  it('refuses a body that is nested too deeply', async () => {
    let body: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) body = [body];
    await expectRefusal('INVALID_FORMAT', () => print({ body }));
  });

  function reversed(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(reversed);
    return new Map(
      Object.entries(value)
        .toReversed()
        .map(([name, member]) => [name, reversed(member)]),
    );
  }

  /** An independent check: `isDeepStrictEqual` ignores the order of members. */
  function isSame(one: unknown, other: unknown): boolean {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
  }
});
