import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  acknowledgeBy,
  acknowledgeByDefault,
  contentType,
  empty,
  invalidSignature,
  genuine,
  headerValues,
  json,
  malformed,
  onlyHeader,
  page,
  seeOther,
  stale,
  text,
  tryLater,
  unproven,
  utf8,
  type AckOutcome,
} from '../index.ts';

const outcomes: readonly AckOutcome[] = [
  'accepted',
  'duplicate',
  'unknown_reference',
  'ignored',
  'invalid_signature',
  'stale',
  'malformed',
  'try_later',
];

describe('acknowledgements', () => {
  const reported = (acknowledge: ReturnType<typeof acknowledgeBy>) =>
    outcomes.map((outcome) => {
      const { status, body } = acknowledge({ outcome });
      return `${outcome} ${status} ${body}`;
    });

  it('answers every outcome by default', () => {
    expect(reported(acknowledgeByDefault)).to.deep.equal([
      'accepted 200 OK',
      'duplicate 200 OK',
      'unknown_reference 200 OK',
      'ignored 200 OK',
      'invalid_signature 401 signature',
      'stale 401 time',
      'malformed 400 unreadable',
      'try_later 503 later',
    ]);
  });

  it('answers outcomes that a table leaves out like their neighbours', () => {
    const acknowledge = acknowledgeBy({
      accepted: text('[taken]'),
      invalid_signature: text('[refused]', 422),
      malformed: empty(400),
    });
    expect(reported(acknowledge)).to.deep.equal([
      'accepted 200 [taken]',
      'duplicate 200 [taken]',
      'unknown_reference 200 [taken]',
      'ignored 200 [taken]',
      'invalid_signature 422 [refused]',
      'stale 422 [refused]',
      'malformed 400 ',
      'try_later 503 later',
    ]);
  });

  it('lets a table name every outcome', () => {
    const table = Object.fromEntries(outcomes.map((outcome, at) => [outcome, text(outcome, 200 + at)]));
    expect(reported(acknowledgeBy({ accepted: text('x'), ...table }))).to.deep.equal(
      outcomes.map((outcome, at) => `${outcome} ${200 + at} ${outcome}`),
    );
  });

  it('write text, JSON, an empty body, a page and a redirect', () => {
    expect(text('x').headers).to.deep.equal({ 'Content-Type': 'text/plain; charset=utf-8' });
    expect(json('{}', 422)).to.deep.equal({ status: 422, headers: { 'Content-Type': 'application/json' }, body: '{}' });
    expect(empty(204)).to.deep.equal({ status: 204, headers: {}, body: '' });
    expect(page(410)).to.deep.equal({ status: 410, headers: {}, body: null });
    expect(seeOther('https://a.example/pay/1')).to.deep.equal({
      status: 303,
      headers: { Location: 'https://a.example/pay/1' },
      body: '',
    });
  });
});

describe('verdicts', () => {
  it('let only verified callbacks through', () => {
    const yes = genuine({ ref: 'x' });
    expect(yes.verdict === 'genuine' && yes.verified.value).to.deep.equal({ ref: 'x' });
    expect(yes).to.have.property('verified').that.has.not.property('key');
    expect(genuine(1, { key: 0 }))
      .to.have.property('verified')
      .that.includes({ key: 0 });
    const ask = unproven(1);
    expect(ask.verdict === 'unproven' && ask.verified.value).to.equal(1);
    for (const verdict of [invalidSignature('f'), stale('s'), malformed('m'), tryLater('t')]) {
      expect(verdict).not.to.have.property('verified');
    }
  });
});

describe('helpers for raw messages', () => {
  const message = {
    headers: [
      ['X-Sign', 'one'],
      ['Content-Type', ' Application/JSON; charset=utf-8'],
      ['x-sign', 'two'],
    ],
  } as const;

  it('find headers whatever their case, in order', () => {
    expect(headerValues(message, 'X-SIGN')).to.deep.equal(['one', 'two']);
    expect(headerValues(message, 'x-other')).to.deep.equal([]);
  });

  it('return a header only if it occurs once', () => {
    expect(onlyHeader(message, 'X-Sign')).to.equal(undefined);
    expect(onlyHeader(message, 'x-other')).to.equal(undefined);
    expect(onlyHeader(message, 'content-type')).to.equal(' Application/JSON; charset=utf-8');
  });

  it('read the media type without parameters', () => {
    expect(contentType(message)).to.equal('application/json');
    expect(contentType({ headers: [] })).to.equal('');
  });

  it('read UTF-8 strictly and keep a byte order mark', () => {
    expect(utf8(Buffer.from('Zoë 😀'))).to.equal('Zoë 😀');
    expect(utf8(Buffer.from('\ufeffx'))).to.equal('\ufeffx');
    for (const bytes of [[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
      expect(utf8(Uint8Array.from(bytes))).to.equal(undefined);
    }
  });
});
