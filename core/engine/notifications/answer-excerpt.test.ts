import { expect } from 'chai';
import { describe, it } from 'mocha';
import { keptCharacters, readBytes, toAnswerExcerpt } from './answer-excerpt.ts';

const excerptOf = (text: string, type: string | undefined = 'text/plain'): string | undefined =>
  toAnswerExcerpt(type, Buffer.from(text));

describe('toAnswerExcerpt', () => {
  it('keeps text, JSON, XML and HTML, and text without a type', () => {
    for (const type of [
      'text/plain',
      'text/html; charset=utf-8',
      'application/json',
      'application/problem+json',
      'application/xml',
      '',
    ])
      expect(excerptOf(' {"error":"no such shop"}\n', type), type).to.equal('{"error":"no such shop"}');
    expect(toAnswerExcerpt(undefined, Buffer.from('OK'))).to.equal('OK');
  });

  it('keeps nothing of other types, of bytes that are no text, and of an empty answer', () => {
    expect(excerptOf('GIF89a', 'image/gif')).to.equal(undefined);
    expect(excerptOf('OK', 'application/octet-stream')).to.equal(undefined);
    expect(excerptOf('a\u0000b')).to.equal(undefined);
    expect(toAnswerExcerpt('text/plain', Uint8Array.of(0x1f, 0x8b, 0xff))).to.equal(undefined);
    expect(excerptOf('')).to.equal(undefined);
    expect(excerptOf(' \n')).to.equal(undefined);
  });

  it('keeps the first characters, and no part of a character', () => {
    expect(excerptOf('x'.repeat(600))).to.have.lengthOf(keptCharacters);
    const half = 'x'.repeat(keptCharacters - 1);
    expect(excerptOf(`${half}🎫 more`)).to.equal(half);
    // The last bytes that were read are the beginning of a character.
    expect(toAnswerExcerpt('text/plain', Buffer.from('Olá').subarray(0, 3))).to.equal('Ol');
  });

  it('masks card numbers, keys and secrets, also at the cut', () => {
    expect(excerptOf('card 4111 1111 1111 1111 of gk_live_abc, whsec_def')).to.equal(
      'card [hidden] of gk_live_[hidden], whsec_[hidden]',
    );
    const cut = `${'x'.repeat(keptCharacters - 10)} 4111111111111111`;
    expect(cut.length).to.be.lessThan(readBytes);
    expect(excerptOf(cut)).not.to.contain('4111');
  });
});
