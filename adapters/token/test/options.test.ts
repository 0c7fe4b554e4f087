import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { harness } from './messages.ts';

const { options } = harness;

describe('the options of the vault', () => {
  const accepts = (change: Readonly<Record<string, unknown>>): boolean =>
    v.safeParse(Options, { ...options, ...change }).success;
  const secretOf = (bytes: number): string => `tks_${Buffer.alloc(bytes, 7).toString('base64')}`;

  it('accepts secrets of 24 to 64 bytes in standard base64, at least one', () => {
    expect([24, 25, 26, 63, 64].every((bytes) => accepts({ hookSecrets: [secretOf(bytes)] }))).to.equal(true);
    for (const secret of [
      secretOf(23),
      secretOf(65),
      secretOf(32).slice(4),
      secretOf(32).replace('=', ''),
      secretOf(32).replace('tks_', 'TKS_'),
      `tks_${'_-'.repeat(20)}`,
      'tks_',
      '',
    ]) {
      expect(accepts({ hookSecrets: [secret] }), secret).to.equal(false);
    }
    expect([accepts({ hookSecrets: [] }), accepts({ hookSecrets: secretOf(32) })]).to.deep.equal([false, false]);
  });

  it('keeps the registered address unchanged, with or without a slash, and accepts no other text', () => {
    expect([
      accepts({ callbackUrl: 'http://127.0.0.1:8080/x/' }),
      accepts({ callbackUrl: 'https://a.example' }),
    ]).to.deep.equal([true, true]);
    expect([
      accepts({ callbackUrl: 'a.example/x' }),
      accepts({ callbackUrl: '' }),
      accepts({ callbackUrl: 'ftp://a.example' }),
    ]).to.deep.equal([false, false, false]);
  });

  for (const change of [{ merchantId: '' }, { apiKey: '' }, { extra: 1 }]) {
    it(`refuses ${JSON.stringify(change)}`, () => expect(accepts(change)).to.equal(false));
  }
});
