/** What a merchant reads and controls: the resource, lists, clients, routes, risk, reports, versions. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { startMailCatcher } from '../../workers/supervisor/dev/mail-catcher.ts';
import { cardBody, payer } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const card = (number = '4111111111111111', more: Readonly<Record<string, unknown>> = {}): string => {
  const body = JSON.parse(cardBody(number, 1, more)) as Record<string, unknown>;
  delete body['amount'];
  delete body['unit'];
  return JSON.stringify(body);
};

describe('a merchant', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({
      adapters: ['provider-a'],
      config: (config) => {
        config.adapters['provider-a'].fee = { percent: '2.9', fixed: { EUR: '0.30' } };
        config.payments.premiumCardBins = ['555555'];
        config.payments.exchangeRates = { USD: '0.9' };
      },
    });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  it('gets back the given members, and members that the service sets are ignored', async () => {
    const given = {
      amount: 19.99,
      unit: 'EUR',
      recipientName: 'Ana',
      payerCountry: 'PT',
      referenceId: 'order-1',
      notes: 'two books',
      clientName: 'Rui',
      client: { name: 'ignored for clientName', email: 'rui@client.example', memberId: 'm-7' },
      targetAccountTypeId: 2,
      payerName: 'Rui S',
      payerEmail: 'rui@client.example',
    };
    const set = {
      id: 1,
      paymentRequestStatusId: 2,
      chargedBack: true,
      grossAmount: 5,
      logs: [{}],
      link: 'https://evil.example',
    };
    const { status, json } = await gateway.post('/payment-requests?accountType=3&applicantId=kyc-9', {
      ...given,
      ...set,
    });
    expect(status).to.equal(200);
    const view = json.paymentRequest;
    expect(view).to.include({
      amount: 19.99,
      recipientName: 'Ana',
      referenceId: 'order-1',
      notes: 'two books',
      clientName: 'Rui',
      clientEmail: 'rui@client.example',
      clientMemberId: 'm-7',
      targetAccountTypeId: 3,
      kycApplicantId: 'kyc-9',
      paymentRequestStatusId: 0,
      transactionStatusId: 0,
      chargedBack: false,
      grossAmount: null,
      userId: null,
      ftdTypeId: 0,
      isH2h: false,
    });
    expect(view.logs).to.deep.equal([]);
    expect(view.lastLog).to.deep.equal({});
    expect(view.link).to.match(new RegExp(`^${gateway.url}/pay/${view.id}\\?k=[\\w-]{22}$`));
    expect(view.client).to.include({ hasPaymentRequests: true, totalDeposits: 0, ownerName: 'demo', memberId: 'm-7' });
  });

  it('sees fees, first deposit and deposits of its client', async () => {
    const email = 'first@client.example';
    const make = async (): Promise<number> =>
      (await gateway.post('/payment-requests', { amount: 100, unit: 'EUR', clientEmail: email })).json.paymentRequest
        .id;
    const [first, second] = [await make(), await make()];
    const paid = (await gateway.post(`/payments/creditCard/${first}`, card())).json.paymentRequest;
    expect(paid).to.include({
      feeAmount: 3.2,
      grossAmount: 100,
      netAmount: 96.8,
      exchangeRate: 1,
      transactionCurrency: 'EUR',
    });
    expect(paid).to.include({
      ftdTypeId: 1,
      routeRuleId: 1,
      isH2h: false,
      isDelayedApproval: false,
      isPremiumCardBin: false,
    });
    expect(paid.client.totalDeposits).to.equal(100);
    const later = (await gateway.post(`/payments/creditCard/${second}`, card('5555555555554444'))).json.paymentRequest;
    expect(later).to.include({ ftdTypeId: 2, isPremiumCardBin: true, clientId: paid.clientId });
    expect(later.client.totalDeposits).to.equal(200);
    await gateway.post(`/payment-requests/${first}/refund`, { amount: 40 });
    await until(
      'refunded',
      async () => (await gateway.get(`/payment-requests/${second}`)).json.client.totalDeposits === 160,
    );
    // 160 EUR at 0.9 EUR per dollar.
    await gateway.gateway.access.owners.setDefaults('demo', { reportingCurrency: 'USD' });
    expect((await gateway.get(`/payment-requests/${second}`)).json.client.totalDeposits).to.equal(177.78);
    await gateway.gateway.access.owners.setDefaults('demo', { reportingCurrency: null });
  });

  it('reads device and browser from the user agent', async () => {
    const userAgent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
    const { json } = await gateway.post(
      '/payments/h2h/11',
      cardBody('4111111111111111', 5, { browserInfo: { userAgent } }),
    );
    expect(json.paymentRequest).to.include({ device: 'mobile', browser: 'Safari', osName: 'iOS', payerCountry: 'PT' });
  });

  it('merges no clients who have no e-mail address', async () => {
    const make = async (payerEmail: string) =>
      (await gateway.post('/payment-requests', { amount: 1, unit: 'EUR', clientEmail: '', payerEmail })).json
        .paymentRequest;
    const [one, two, again] = [await make('a@one.example'), await make('b@two.example'), await make('A@one.example')];
    expect([one.clientEmail, one.client.email]).to.deep.equal(['', 'a@one.example']);
    expect(two.clientId).not.to.equal(one.clientId);
    expect(again.clientId).to.equal(one.clientId);
  });

  it('learns why no provider accepts a payment', async () => {
    for (const [order, why] of [
      [{ amount: 1.234, unit: 'EUR' }, 'provider 11: amount: EUR has 2 decimals'],
      [{ amount: 1, unit: 'eur' }, 'provider 11: unit: must be an ISO 4217 currency in capitals, such as EUR'],
    ] as const) {
      const { id } = (await gateway.post('/payment-requests', order)).json.paymentRequest;
      const { json } = await gateway.post(`/payments/creditCard/${id}`, card());
      expect([json.code, json.message]).to.deep.equal(['PAY004', `no provider accepts this payment: ${why}`]);
    }
  });

  it('reads a list page by page without duplicates or gaps', async () => {
    for (let n = 0; n < 5; n += 1)
      await gateway.post('/payment-requests', { amount: n, unit: 'EUR', referenceId: 'paged' });
    const seen: number[] = [];
    let cursor = '';
    do {
      const { json } = await gateway.get(`/payment-requests?referenceId=paged&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...json.items.map(({ id }: { id: number }) => id));
      cursor = json.nextCursor ?? '';
      await gateway.post('/payment-requests', { amount: 1, unit: 'EUR', referenceId: 'paged' });
    } while (cursor && seen.length < 20);
    expect(seen).to.have.length(5);
    expect(new Set(seen).size).to.equal(5);
    expect(seen).to.deep.equal(seen.toSorted((a, b) => b - a));
    expect(
      (await gateway.get('/payment-requests?providerId=11&status=2&methodId=1&limit=1')).json.items,
    ).to.have.length(1);
    expect((await gateway.get('/payment-requests?cursor=x')).json.details.field).to.equal('cursor');
  });

  it('cancels a new payment, and cannot cancel a paid one', async () => {
    const { id } = (await gateway.post('/payment-requests', { amount: 1, unit: 'EUR', notifyUrl: receiver.url })).json
      .paymentRequest;
    expect(
      (await gateway.post(`/payment-requests/${id}/cancel`, undefined)).json.paymentRequest.paymentRequestStatusId,
    ).to.equal(5);
    expect((await gateway.post(`/payment-requests/${id}/cancel`, undefined)).json.code).to.equal('PAY004');
    expect((await gateway.post(`/payments/creditCard/${id}`, card())).json.code).to.equal('PAY004');
    await until('notified', async () => receiver.ofPayment(id).some(({ json }) => json.type === 'payment.expired'));
  });

  it('never sees another owner’s payments, nor live ones with a test key', async () => {
    const other = await gateway.gateway.access.keys.create({ owner: 'another shop', environment: 'sandbox' });
    const { id } = (await gateway.post('/payment-requests', { amount: 1, unit: 'EUR' })).json.paymentRequest;
    const headers = { 'X-API-Key': other.key };
    expect((await gateway.get(`/payment-requests/${id}`, headers)).status).to.equal(404);
    expect((await gateway.post(`/payments/creditCard/${id}`, card(), headers)).status).to.equal(404);
    expect((await gateway.get('/payment-requests', headers)).json.items).to.deep.equal([]);
  });

  it('pays once under one Idempotency-Key, also with ten concurrent requests', async () => {
    const body = cardBody('4111111111111111', '77.70', { referenceId: 'once' });
    const headers = { 'Idempotency-Key': 'order-77' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => gateway.post('/payments/h2h/11', body, headers)),
    );
    expect(answers.filter(({ status }) => status === 200).length).to.be.greaterThan(0);
    for (const { status, json } of answers) if (status !== 200) expect(json.code).to.equal('IDEM001');
    const again = await gateway.post('/payments/h2h/11', body, headers);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect((await gateway.get('/payment-requests?referenceId=once')).json.items).to.have.length(1);
    const other = await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '77.71'), headers);
    expect(other.json.code).to.equal('IDEM001');
  });

  it('gets a refusal for values that no provider can express, before anything is stored', async () => {
    const count = async (): Promise<number> => (await gateway.get('/payment-requests?limit=100')).json.items.length;
    const before = await count();
    expect((await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '1.234'))).json.details.field).to.equal(
      'amount',
    );
    expect(
      (await gateway.post('/payments/h2h/11', cardBody('4111111111111111', 1, { unit: 'eur' }))).json.details.field,
    ).to.equal('unit');
    expect((await gateway.post('/payments/h2h/59', cardBody('4111111111111111'))).json.code).to.equal('NF001');
    expect(await count()).to.equal(before);
  });

  it('reads sums by day as JSON and CSV', async () => {
    // The day of the payment, which may have ended since.
    const payments = gateway.gateway.connection.collection<{ createdAt: Date }>('paymentRequests');
    const { createdAt } = (await payments.findOne({ statusId: 2 }))!;
    const day = createdAt.toISOString().slice(0, 10);
    const { json } = await gateway.get(`/reports/payments?from=${day}&to=${day}`);
    const row = json.items.find(({ status, providerId }: Record<string, number>) => status === 2 && providerId === 11);
    expect(row).to.include({ day, methodId: 1, currency: 'EUR' });
    expect(row.amount).to.be.a('string');
    const csv = await gateway.get(`/reports/payments?from=${day}&to=${day}`, { Accept: 'text/csv' });
    expect(csv.text.split('\r\n')[0]).to.equal('day,providerId,methodId,currency,status,count,amount');
    expect(csv.text.trim().split('\r\n')).to.have.length(json.items.length + 1);
    const byAccount = await gateway.get(`/reports/payments?from=${day}&to=${day}&groupBy=providerAccount`);
    const { providerAccount } = byAccount.json.items.find(
      ({ providerId }: Record<string, number>) => providerId === 11,
    );
    expect(providerAccount).to.equal('provider-a/main');
    const sumOf = async (account: string): Promise<number> => {
      const found = await gateway.get(`/reports/payments?from=${day}&to=${day}&providerAccount=${account}`);
      return found.json.items.reduce((sum: number, { count }: Record<string, number>) => sum + count!, 0);
    };
    const all = json.items.filter(({ providerId }: Record<string, number>) => providerId === 11);
    expect(await sumOf('provider-a/main')).to.equal(
      all.reduce((sum: number, { count }: Record<string, number>) => sum + count!, 0),
    );
    expect(await sumOf('provider-a/other')).to.equal(0);
  });

  it('is notified at most once a day about a version past its support', async () => {
    await gateway.gateway.access.owners.setDefaults('demo', { testNotifyUrl: receiver.url });
    for (let n = 0; n < 3; n += 1) {
      const { headers } = await gateway.get('/payment-requests?limit=1', { 'X-API-Version': '2.0' });
      expect(headers.get('deprecation')).to.be.a('string');
      expect(headers.get('sunset')).to.be.a('string');
    }
    const versions = (): readonly unknown[] =>
      receiver.received.filter(({ json }) => json.type === 'api.version.deprecated');
    await until('notified', async () => versions().length === 1);
    await gateway.work();
    expect(versions()).to.have.length(1);
    await gateway.gateway.access.owners.setDefaults('demo', { testNotifyUrl: null });
  });

  it('sees everything that happened to a payment, in order', async () => {
    const { json } = await gateway.post(
      '/payments/h2h/11',
      cardBody('4000000000003063', '9.00', { notifyUrl: receiver.url }),
    );
    const { id } = json.paymentRequest;
    const items = await until('delivered', async () => {
      const timeline = (await gateway.get(`/payment-requests/${id}/timeline`)).json.items;
      // Authorised and captured in one batch: the merchant is notified only of the success.
      return timeline.some(({ type }: { type?: string }) => type === 'payment.succeeded') && timeline;
    });
    const kinds = new Set(items.map(({ kind }: { kind: string }) => kind));
    expect([...kinds]).to.have.members(['transition', 'request', 'answer', 'event', 'callback', 'notification']);
    const times = items.map(({ at }: { at: string }) => Date.parse(at));
    expect(times).to.deep.equal(times.toSorted((a: number, b: number) => a - b));
  });
});

describe('send=true', () => {
  it('mails the link to the client, and requires an address', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-mail-'));
    const port = await chooseFreePort();
    const files: string[] = [];
    const catcher = await startMailCatcher({ port, folder, onMail: (file) => files.push(file) });
    const gateway = await startGateway({
      adapters: ['provider-a'],
      config: (config) => (config.mail.smtp = { host: '127.0.0.1', port, from: 'gateway@shop.example' }),
    });
    const order = { amount: 12.5, unit: 'EUR' };
    const refused = await gateway.post('/payment-requests?send=true', order);
    expect(refused.json).to.deep.include({ code: 'VAL001', details: { missingFields: ['clientEmail'] } });
    const { json } = await gateway.post('/payment-requests?send=true', { ...order, clientEmail: 'ana@client.example' });
    const [file = ''] = await until('caught', async () => files.length > 0 && files);
    const letter = await readFile(file, 'utf8');
    expect(letter).to.include('To: ana@client.example');
    expect(letter).to.match(/^Content-Type: multipart\/alternative;/m);
    const [, text = '', html = ''] = letter
      .replaceAll('=\r\n', '')
      .replaceAll('=3D', '=')
      .split(/^Content-Type: text\//m);
    expect(text)
      .to.match(/^plain/)
      .and.include('Amount: =E2=82=AC12.50')
      .and.include(json.paymentRequest.link);
    expect(html).to.match(/^html/).and.include(`<a href="${json.paymentRequest.link}"`);
    await gateway.close();
    await catcher.close();
    await rm(folder, { recursive: true });
  });
});

describe('a route or risk rule', () => {
  it('falls back only if certainly nothing was charged', async () => {
    const gateway = await startGateway({
      adapters: ['provider-a', 'provider-b'],
      config: (config) => {
        config.adapters['provider-a'].options.sandboxBaseUrl = 'http://127.0.0.1:1'; // no process listens there
        config.routes = [{ id: 7, when: { method: ['card'] }, use: ['provider-a', 'provider-b'], fallback: true }];
      },
    });
    const { id } = (await gateway.post('/payment-requests', { amount: 12, unit: 'EUR' })).json.paymentRequest;
    const { json } = await gateway.post(`/payments/creditCard/${id}`, card());
    expect(json.paymentRequest).to.include({
      isFallback: true,
      isPendingFallback: false,
      routeRuleId: 7,
      paymentProviderId: 12,
    });
    await until(
      'paid by the second',
      async () => (await gateway.get(`/payment-requests/${id}`)).json.paymentRequestStatusId === 2,
    );
    expect((await gateway.get(`/payment-requests/${id}`)).json.logs[0].message).to.match(/^nothing was charged/);
    await gateway.close();
  });

  it('denies with PAY001 and 05 and logs the reason, without a call to the provider', async () => {
    const gateway = await startGateway({
      adapters: ['provider-a'],
      config: (config) => {
        config.risk = [
          {
            id: 1,
            when: {},
            velocity: { by: 'card', max: 2, windowMinutes: 5 },
            action: 'deny',
            reason: 'too many attempts with one card',
          },
          { id: 2, when: { amountFrom: '500' }, action: 'require3ds', reason: 'large' },
        ];
      },
    });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1)
      statuses.push((await gateway.post('/payments/h2h/11', cardBody('4111111111111111', 10 + n))).status);
    expect(statuses).to.deep.equal([200, 200, 400]);
    const concurrent = Array.from({ length: 8 }, async () =>
      gateway.post('/payments/h2h/11', cardBody('4242424242424242')),
    );
    expect((await Promise.all(concurrent)).filter(({ status }) => status === 200)).to.have.length(2);
    const denied = await gateway.post('/payments/h2h/11', cardBody('4111111111111111', 20));
    const paymentRequestId = Number(denied.headers.get('x-payment-request-id'));
    expect(denied.json).to.deep.include({
      code: 'PAY001',
      details: { declineCode: '05', declineReason: 'do not honor', paymentRequestId },
    });
    const { json } = await gateway.get(`/payment-requests/${paymentRequestId}`);
    expect(json.lastLog.message).to.equal('risk rule 1: too many attempts with one card');
    expect(
      (await gateway.get(`/payment-requests/${json.id}/timeline`)).json.items.some(
        ({ kind }: { kind: string }) => kind === 'request',
      ),
    ).to.equal(false);
    const large = await gateway.post('/payments/h2h/11', cardBody('5555555555554444', 900));
    expect(large.json.action).to.include({ type: 'redirect' });
    expect(
      (await gateway.post('/payments/h2h/11', cardBody('5555555555554444', 30, { name: payer.name }))).status,
    ).to.equal(200);
    await gateway.close();
  });
});
