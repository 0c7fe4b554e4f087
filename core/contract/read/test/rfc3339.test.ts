import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readAs, readRfc3339, rfc3339, writeRfc3339 } from '../../index.ts';

describe('readRfc3339', () => {
  for (const [text, time] of [
    ['2026-11-21T09:00:00Z', '2026-11-21T09:00:00.000Z'],
    ['2026-11-21T09:00:00.125Z', '2026-11-21T09:00:00.125Z'],
    ['2026-11-21T09:00:00.1259999Z', '2026-11-21T09:00:00.125Z'],
    ['2026-11-21t14:30:00+05:30', '2026-11-21T09:00:00.000Z'],
    ['2024-02-29T23:59:59-01:00', '2024-03-01T00:59:59.000Z'],
  ] as const) {
    it(`reads ${text}`, () => {
      expect(readRfc3339(text)?.toISOString()).to.equal(time);
      expect(readAs(rfc3339, text)?.toISOString()).to.equal(time);
    });
  }

  for (const text of [
    '',
    '2026-11-21',
    '2026-11-21T09:00Z',
    '2026-11-21T09:00:00',
    '2026-11-21 09:00:00Z',
    '2026-13-01T09:00:00Z',
    '2026-02-29T09:00:00Z',
    '2026-11-21T25:00:00Z',
    ' 2026-11-21T09:00:00Z',
    '1795251600',
  ]) {
    it(`refuses "${text}"`, () => {
      expect([readRfc3339(text), readAs(rfc3339, text)]).to.deep.equal([undefined, undefined]);
    });
  }
});

describe('writeRfc3339', () => {
  for (const [time, text] of [
    ['2026-03-02T09:15:30.250Z', '2026-03-02T09:15:30Z'],
    ['2026-03-02T09:15:30+05:30', '2026-03-02T03:45:30Z'],
  ] as const) {
    it(`writes ${time} to the second, in UTC`, () => expect(writeRfc3339(new Date(time))).to.equal(text));
  }
});
