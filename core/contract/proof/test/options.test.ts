import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  baseUrl,
  described,
  filled,
  isLoopback,
  oneOrMore,
  oneToThree,
  secret,
  secretOf,
  secretPaths,
  v,
} from '../../index.ts';

describe('schemas of options', () => {
  it('accept one to three keys, each by its own schema', () => {
    const keys = oneToThree(secret(2), 'seals');
    for (const good of [['k1'], ['k1', 'k2', 'k3']]) expect(v.is(keys, good)).to.equal(true);
    for (const bad of [[], ['k1', 'k2', 'k3', 'k4'], ['k'], 'k1']) expect(v.is(keys, bad)).to.equal(false);
    expect(v.safeParse(keys, []).issues?.[0].message).to.equal('one to three seals');
    expect(secretPaths(v.object({ keys }))).to.deep.equal([['keys', '*']]);
  });

  it('accept one or more keys, each by its own schema', () => {
    const keys = oneOrMore(secret(2), 'seals');
    for (const good of [['k1'], ['k1', 'k2', 'k3', 'k4']]) expect(v.is(keys, good)).to.equal(true);
    for (const bad of [[], ['k1', 'k'], 'k1']) expect(v.is(keys, bad)).to.equal(false);
    expect(v.safeParse(keys, []).issues?.[0].message).to.equal('one or more seals');
    expect(secretPaths(v.object({ keys }))).to.deep.equal([['keys', '*']]);
  });

  it('accept a text that is not empty', () => {
    for (const good of ['a', ' ', 'st_1']) expect(v.is(filled, good)).to.equal(true);
    for (const bad of ['', 1, null, undefined]) expect(v.is(filled, bad)).to.equal(false);
  });

  it('accept https addresses, and http addresses of this machine', () => {
    const good = [
      'https://api.a.example',
      'https://api.a.example/gate',
      'http://127.0.0.1:8081',
      'http://localhost:1',
      'http://[::1]:9',
    ];
    const bad = [
      '',
      'api.a.example',
      'http://api.a.example',
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'https://a.example/',
      'https://a.example?x=1',
      'https://a.example#x',
      'https://user@a.example',
      'ftp://127.0.0.1',
      'file:///etc/passwd',
      7,
    ];
    for (const url of good) expect(v.is(baseUrl, url), url).to.equal(true);
    for (const url of bad) expect(v.is(baseUrl, url), String(url)).to.equal(false);
  });

  it('recognise loopback addresses', () => {
    for (const host of ['localhost', '127.0.0.1', '127.9.8.7', '[::1]']) expect(isLoopback(host), host).to.equal(true);
    for (const host of ['128.0.0.1', '127.0.0.1.x', 'a.localhost.example', '0.0.0.0']) {
      expect(isLoopback(host), host).to.equal(false);
    }
  });

  it('find every secret of a schema, however it is wrapped', () => {
    const schema = v.strictObject({
      baseUrl,
      account: v.string(),
      apiKey: secret(16),
      labelled: described(secret(), 'Console, Keys'),
      hex: secretOf(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
      labelledHex: described(secretOf(v.string()), 'Console'),
      list: v.pipe(v.array(secret(4)), v.minLength(1), v.maxLength(3)),
      byIndex: v.record(v.string(), secret()),
      maybe: v.optional(secret(), 'x'),
      nested: v.optional(v.strictObject({ serial: v.string(), privateKey: secret() })),
      pairs: v.array(v.strictObject({ serial: v.string(), key: described(secret(), 'Console') })),
      tuple: v.tuple([v.string(), secret()]),
      either: v.union([secret(), v.strictObject({ inner: secret() })]),
      both: v.intersect([v.object({ left: secret() }), v.object({ right: v.string() })]),
    });
    expect(secretPaths(schema).map((path) => path.join('.'))).to.have.members([
      'apiKey',
      'labelled',
      'hex',
      'labelledHex',
      'list.*',
      'byIndex.*',
      'maybe',
      'nested.privateKey',
      'pairs.*.key',
      'tuple.*',
      'either',
      'either.inner',
      'both.left',
    ]);
  });

  it('find secrets behind a check of the whole', () => {
    const schema = v.pipe(
      v.strictObject({ signed: v.boolean(), secrets: v.array(secret()) }),
      v.check(({ signed, secrets }) => !signed || secrets.length > 0),
    );
    expect(secretPaths(schema)).to.deep.equal([['secrets', '*']]);
  });

  it('name the minimum length of a secret, never the secret', () => {
    const result = v.safeParse(secret(16), 'hunter2');
    expect(result.issues?.[0].message).to.equal('at least 16 characters');
  });
});
