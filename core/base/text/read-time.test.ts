import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { isDay, readHttpDate, readInstant, readRetryAfter } from './read-time.ts';

describe('readInstant', () => {
  const { TZ } = process.env;
  afterEach(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });

  for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati']) {
    it(`reads the same moment on a host in ${zone}`, () => {
      process.env['TZ'] = zone;
      for (const [text, expected] of [
        ['2026-03-01', '2026-03-01T00:00:00.000Z'],
        ['2026-03-01T00:00', '2026-03-01T00:00:00.000Z'],
        ['2026-03-01T00:00:00', '2026-03-01T00:00:00.000Z'],
        ['2026-03-01 12:30', '2026-03-01T12:30:00.000Z'],
        ['2026-03-01T12:30:00.123Z', '2026-03-01T12:30:00.123Z'],
        ['2026-03-01T12:30:00+05:30', '2026-03-01T07:00:00.000Z'],
        ['2026-03-01T12:30:00-0530', '2026-03-01T18:00:00.000Z'],
        ['2026-03-01T12:30:00 05:30', '2026-03-01T07:00:00.000Z'],
      ] as const) {
        expect(readInstant(text)?.toISOString(), text).to.equal(expected);
      }
      expect(readHttpDate('Fri, 02 Jan 2026 03:05:05 GMT')?.toISOString()).to.equal('2026-01-02T03:05:05.000Z');
    });
  }

  for (const text of [
    '',
    'soon',
    '2026',
    '2026-3-1',
    '2026-02-30',
    '2026-02-30T10:00',
    '2026-03-01T25:00',
    '03/01/2026',
  ]) {
    it(`refuses "${text}"`, () => {
      expect(readInstant(text)).to.equal(undefined);
      expect(isDay(text)).to.equal(false);
    });
  }
});

describe('readRetryAfter', () => {
  const now = new Date('2026-01-02T03:04:05Z');
  for (const [header, expected] of [
    ['120', 120_000],
    [' 0 ', 0],
    ['Fri, 02 Jan 2026 03:05:05 GMT', 60_000],
    ['Fri, 02 Jan 2026 03:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2026-01-02', undefined],
    ['02 Jan 2026 03:05:05', undefined],
    ['Fri, 99 Foo 2026 03:05:05 GMT', undefined],
    ['99999999999999999999', 1e23],
  ] as const) {
    it(`reads "${header}" as ${expected} ms`, () => {
      expect(readRetryAfter(header, now)).to.equal(expected);
    });
  }
});
