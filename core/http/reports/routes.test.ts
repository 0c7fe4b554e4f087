import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { ReportRow } from '../deps.ts';
import { fieldOf, startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';

describe('GET /reports/payments', () => {
  let gateway: TestGateway;
  const asked: unknown[] = [];
  const rows: ReportRow[] = [];
  async function* reportOf(_caller: unknown, span: unknown): AsyncGenerator<ReportRow> {
    asked.push(span);
    yield* rows;
  }
  before(async () => {
    gateway = await startGateway({ deps: { reports: { payments: reportOf } } });
  });
  beforeEach(() => {
    gateway.reset();
    asked.length = rows.length = 0;
  });
  after(() => gateway.server.close(1000));

  const row = {
    day: '2026-11-20',
    providerId: 11,
    methodId: 1,
    currency: 'EUR',
    status: 2,
    count: 3,
    amount: '77.70',
  };

  it('answers JSON, or CSV on request', async () => {
    rows.push(row, { ...row, currency: 'A,"B' });
    const json = await gateway.get('/reports/payments?from=2026-11-01&to=2026-11-20');
    const csv = await gateway.get('/reports/payments', { headers: { Accept: 'text/csv' } });
    expect(json.json).to.deep.equal({ items: rows });
    expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(csv.text).to.equal(
      'day,providerId,methodId,currency,status,count,amount\r\n' +
        '2026-11-20,11,1,EUR,2,3,77.70\r\n2026-11-20,11,1,"A,""B",2,3,77.70\r\n',
    );
    expect(asked).to.deep.equal([
      { from: '2026-11-01', to: '2026-11-20' },
      { from: '2026-10-23', to: '2026-11-21' },
    ]);
  });

  it('adds the account to each row on request, and filters by it', async () => {
    rows.push({ ...row, providerAccount: 'acme/shop' }, { ...row, providerId: 0, providerAccount: null });
    const path = '/reports/payments?from=2026-11-01&to=2026-11-20&providerAccount=acme/shop&groupBy=providerAccount';
    const json = await gateway.get(path);
    const csv = await gateway.get(path, { headers: { Accept: 'text/csv' } });
    expect(json.json).to.deep.equal({ items: rows });
    expect(csv.text.split('\r\n').slice(0, 3)).to.deep.equal([
      'day,providerId,methodId,currency,status,count,amount,providerAccount',
      '2026-11-20,11,1,EUR,2,3,77.70,acme/shop',
      '2026-11-20,0,1,EUR,2,3,77.70,',
    ]);
    expect(asked[0]).to.deep.equal({
      from: '2026-11-01',
      to: '2026-11-20',
      providerAccount: 'acme/shop',
      isByAccount: true,
    });
    expect(await fieldOf(gateway.get('/reports/payments?groupBy=day'))).to.deep.equal(['VAL002', 'groupBy']);
  });

  it('answers an empty list without payments, and VAL002 for an invalid day', async () => {
    expect((await gateway.get('/reports/payments')).json).to.deep.equal({ items: [] });
    for (const query of ['from=2026-02-29', 'from=2026-11-20T00:00:00Z', 'from=2026-11-02&to=2026-11-01']) {
      expect(await fieldOf(gateway.get(`/reports/payments?${query}`)), query).to.deep.equal(['VAL002', 'from']);
    }
    expect(await fieldOf(gateway.get('/reports/payments?form=2026-11-02'))).to.deep.equal(['VAL002', 'form']);
  });
});
