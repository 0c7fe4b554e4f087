import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  httpFailure,
  declineOf,
  misconfigured,
  nothingCharged,
  payPage,
  ProviderCallError,
  readReference,
  replyHeader,
  statusTable,
  toReference,
  unknown,
  type ReportedEvent,
} from '../../index.ts';

const event = (kind: ReportedEvent['kind'], providerStatus: string): ReportedEvent => ({
  kind,
  providerStatus,
  reference: null,
  providerReference: null,
  amount: null,
  currency: null,
  dedupeKey: null,
});

describe('statusTable', () => {
  const mapStatus = statusTable({ payment: { OK: 'succeeded', NO: 'failed' }, refund: { OK: 'pending' } });

  it('looks statuses up by kind', () => {
    expect(mapStatus(event('payment', 'OK'), 'callback')).to.equal('succeeded');
    expect(mapStatus(event('refund', 'OK'), 'callback')).to.equal('pending');
  });

  it('returns unknown for every other status', () => {
    for (const word of ['ok', 'OK ', '', 'toString', '__proto__', 'constructor']) {
      expect(mapStatus(event('payment', word), 'callback'), word).to.equal('unknown');
    }
    expect(mapStatus(event('chargeback', 'OK'), 'callback')).to.equal('unknown');
    expect(mapStatus(event('ping', 'ping'), 'callback')).to.equal('unknown');
  });

  it('may know other statuses in a callback than in a fetch', () => {
    const both = statusTable({
      callback: { payment: { OK: 'succeeded', NEW: 'pending' } },
      fetch: { payment: { OK: 'succeeded', OPEN: 'pending' }, refund: { BACK: 'succeeded' } },
    });
    expect(both(event('payment', 'NEW'), 'callback')).to.equal('pending');
    expect(both(event('payment', 'NEW'), 'fetch')).to.equal('unknown');
    expect(both(event('refund', 'BACK'), 'fetch')).to.equal('succeeded');
    expect(both(event('refund', 'BACK'), 'callback')).to.equal('unknown');
    expect(both.statuses).to.deep.equal({ payment: ['OK', 'NEW', 'OPEN'], refund: ['BACK'] });
  });

  it('leaves to `refine` what a status alone does not decide', () => {
    const seen: unknown[] = [];
    const refined = statusTable({ payment: { OK: 'succeeded' } }, (status, { facts }, source) => {
      seen.push([status, source]);
      return status === 'succeeded' && facts?.['late'] === true ? 'late' : status;
    });
    expect(refined(event('payment', 'OK'), 'fetch')).to.equal('succeeded');
    expect(refined({ ...event('payment', 'OK'), facts: { late: true } }, 'callback')).to.equal('late');
    expect(refined(event('payment', 'NO'), 'fetch')).to.equal('unknown');
    expect(seen).to.deep.equal([
      ['succeeded', 'fetch'],
      ['succeeded', 'callback'],
      ['unknown', 'fetch'],
    ]);
    expect(refined.statuses).to.deep.equal({ payment: ['OK'] });
  });
});

describe('declineOf', () => {
  const table = { FUNDS: '51', REFUSED: '05' } as const;

  it('returns the code of a provider code, with its text', () => {
    expect(declineOf(table, 'FUNDS')).to.deep.equal({ decline: '51' });
    expect(declineOf(table, 'FUNDS', 'Insufficient funds')).to.deep.equal({
      decline: '51',
      declineText: 'Insufficient funds',
    });
  });

  it('returns 05 for any other code, keeps its text and counts it', () => {
    expect(declineOf(table, 'NEW')).to.deep.equal({ decline: '05', declineText: 'NEW', unknownStatus: 'NEW' });
    expect(declineOf(table, 'NEW', 'blocked')).to.deep.equal({
      decline: '05',
      declineText: 'blocked',
      unknownStatus: 'NEW',
    });
    expect(declineOf(table, 'toString')).to.include({ decline: '05', unknownStatus: 'toString' });
    for (const none of [null, undefined, '']) expect(declineOf(table, none)).to.deep.equal({ decline: '05' });
  });
});

describe('helpers for outcomes', () => {
  it('distinguish *never happened* from *not known*', () => {
    expect(nothingCharged('busy')).to.deep.equal({ outcome: 'failed', nothingCharged: true, reason: 'busy' });
    expect(misconfigured('key')).to.include({ outcome: 'failed', nothingCharged: true, misconfigured: true });
    expect(unknown('cut')).to.deep.equal({ outcome: 'unknown', reason: 'cut' });
  });

  it('recognise a failed call by its member, whichever copy of the contract made it', () => {
    expect(httpFailure(new ProviderCallError('no_answer', 'closed'))).to.equal('no_answer');
    expect(httpFailure(Object.assign(new Error('x'), { failure: 'not_sent' }))).to.equal('not_sent');
    for (const other of [
      new Error('x'),
      { failure: 'not_sent' },
      null,
      Object.assign(new Error('x'), { failure: 1 }),
    ]) {
      expect(httpFailure(other)).to.equal(undefined);
    }
  });

  it('find a header of a reply whatever its case', () => {
    const reply = { status: 200, headers: [['Retry-After', '1']], body: new Uint8Array() } as const;
    expect(replyHeader(reply, 'retry-after')).to.equal('1');
    expect(replyHeader(reply, 'x')).to.equal(undefined);
  });
});

describe('readReference and toReference', () => {
  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 16n - 1n }), fc.integer({ min: 1, max: 999 }), (id, attempt) => {
        const reference = toReference(String(id), attempt);
        expect(reference).to.match(/^[A-Z0-9-]{1,24}$/);
        expect(readReference(reference)).to.deep.equal({ paymentRequestId: String(id), attempt });
      }),
    );
  });

  it('reads nothing from other text', () => {
    for (const other of [
      '',
      'GW-1',
      'GW-0-1',
      'GW-01-1',
      'GW-1-0',
      'GW-1-1-R1',
      'gw-1-1',
      ' GW-1-1',
      'GW-1-1\n',
      'GW-x-1',
    ]) {
      expect(readReference(other), other).to.equal(undefined);
    }
  });

  it('names the payer’s page', () => {
    expect(payPage('https://a.example', 'GW-10042-1')).to.equal('https://a.example/pay/10042');
    expect(payPage('https://a.example', '../../x')).to.equal(undefined);
  });
});
