import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { described, oneOrMore, secret, v, wholeBetween } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { optionFieldsOf, readOptionText, toOptionText } from './option-fields.ts';

const options = v.pipe(
  v.strictObject({
    baseUrl: described(v.string(), 'The address.'),
    sandboxBaseUrl: v.string(),
    apiKey: described(secret(8), 'Console, API keys.'),
    hookSecrets: oneOrMore(secret(8)),
    flow: v.optional(v.picklist(['page', 'address']), 'page'),
    minutes: v.optional(wholeBetween(1, 60, 'minutes'), 15),
    sendsMail: v.optional(v.boolean(), false),
    methods: v.optional(v.array(v.picklist(['card', 'bank']))),
    signingKey: v.strictObject({ serial: v.string(), privateKey: secret() }),
    salts: v.record(v.string(), secret()),
  }),
  v.check(() => true),
);

describe('optionFieldsOf', () => {
  it('reads the kind, the choices, the secrets and the description of each option from the schema', () => {
    const fields = optionFieldsOf(options).map(({ name, kind, isSecret }) => [name, kind, isSecret]);
    expect(fields).to.deep.equal([
      ['baseUrl', 'text', false],
      ['sandboxBaseUrl', 'text', false],
      ['apiKey', 'text', true],
      ['hookSecrets', 'list', true],
      ['flow', 'choice', false],
      ['minutes', 'number', false],
      ['sendsMail', 'boolean', false],
      ['methods', 'list', false],
      ['signingKey', 'data', true],
      ['salts', 'data', true],
    ]);
    const byName = new Map(optionFieldsOf(options).map((one) => [one.name, one]));
    expect(byName.get('apiKey')?.description).to.equal('Console, API keys.');
    expect(byName.get('flow')?.choices).to.deep.equal(['page', 'address']);
  });
});

describe('readOptionText', () => {
  it('reads a text as the kind of its option', () => {
    expect(readOptionText({ kind: 'text' }, '0042')).to.equal('0042');
    expect(readOptionText({ kind: 'choice' }, 'page')).to.equal('page');
    expect(readOptionText({ kind: 'number' }, '15')).to.equal(15);
    expect(readOptionText({ kind: 'boolean' }, 'false')).to.equal(false);
    expect(readOptionText({ kind: 'list' }, 'one secret')).to.deep.equal(['one secret']);
    expect(readOptionText({ kind: 'list' }, 'card\r\nbank')).to.deep.equal(['card', 'bank']);
    expect(readOptionText({ kind: 'list' }, '["new", "old"]')).to.deep.equal(['new', 'old']);
    expect(readOptionText({ kind: 'data' }, '{"1":"salt"}')).to.deep.equal({ 1: 'salt' });
  });

  it('leaves a text that does not fit to the schema of the adapter', () => {
    expect(readOptionText({ kind: 'number' }, 'soon')).to.equal('soon');
    expect(readOptionText({ kind: 'boolean' }, 'maybe')).to.equal('maybe');
    expect(readOptionText({ kind: 'data' }, '{"1":')).to.equal('{"1":');
  });

  it('restores the line breaks of a key that a password field removed', () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const typed = privateKey.replaceAll('\n', '');
    for (const read of [readOptionText({ kind: 'text' }, typed), readOptionText({ kind: 'list' }, typed)])
      expect(createPrivateKey([read].flat()[0] as string).asymmetricKeyType).to.equal('rsa');
  });
});

describe('toOptionText', () => {
  it('writes a text that reads as the same value', () => {
    const values = [
      ['text', 'M-42'],
      ['number', 15],
      ['boolean', true],
      ['list', ['card', 'bank']],
      ['list', ['-----BEGIN A-----\nx\n-----END A-----', 'b']],
      ['data', { a: [1] }],
    ] as const;
    for (const [kind, value] of values) expect(readOptionText({ kind }, toOptionText(value))).to.deep.equal(value);
    expect(toOptionText(undefined)).to.equal('');
  });
});
