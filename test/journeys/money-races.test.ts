/** Two concurrent operations on one payment. */
import { createHash } from 'node:crypto';
import { triggerPath, type TriggerBody } from '@paywright/contract/sandbox';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { reconcile } from '../../workers/jobs/reconcile.ts';
import { cardBody } from '../support/bodies.ts';
import { openAction, press } from '../support/payer.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { startGateway, type Answer, type TestGateway } from '../support/start-gateway.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';

const names = ['provider-a', 'provider-b', 'provider-f', 'provider-g'] as const;
const unavailable = { status: 500, body: '{"error":{"code":"INTERNAL","text":"try again","charged":"no"}}' };
const doNothing = async (): Promise<void> => undefined;

describe('a payment with concurrent operations', () => {
  let gateway: TestGateway;
  let proxies: Record<string, Proxy>;
  before(async () => {
    proxies = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await startProxy()] as const)));
    gateway = await startGateway({
      adapters: names,
      delayMs: 80,
      config: (config) => {
        for (const name of names) config.adapters[name].options.sandboxBaseUrl = proxies[name]?.url;
        config.routes = [{ id: 7, when: {}, use: ['provider-a', 'provider-g'], fallback: true }];
      },
    });
    for (const name of names) proxies[name]!.target = gateway.sandboxes[name] ?? '';
  });
  beforeEach(() => {
    for (const proxy of Object.values(proxies)) Object.assign(proxy, { before: doNothing, after: doNothing });
  });
  after(async () => {
    await gateway.close();
    await Promise.all(Object.values(proxies).map(async (proxy) => proxy.close()));
  });

  const create = async (amount = 25.9): Promise<number> =>
    toTestPayment(gateway, await gateway.post('/payment-requests', { amount, unit: 'EUR' })).id;
  const makePaidPayment = async (code: number, amount: number | string = 25.9): Promise<TestPayment> => {
    const payment = toTestPayment(
      gateway,
      await gateway.post(`/payments/h2h/${code}`, cardBody('4111111111111111', amount)),
    );
    await payment.waitForStatus(2);
    return payment;
  };
  const countCalls = async (id: number, call: string): Promise<number> => {
    const { items } = (await gateway.get(`/payment-requests/${id}/timeline`)).json;
    return items.filter((item: Record<string, unknown>) => item['kind'] === 'request' && item['call'] === call).length;
  };
  const codesOf = (answers: readonly Answer[]): string[] =>
    answers
      .map(({ status, json }) => (status === 200 ? 'OK' : String(json.code)))
      .toSorted((a, b) => a.localeCompare(b));

  it('opens one attempt for five concurrent payments', async () => {
    const id = await create();
    const pay = async () => gateway.post(`/payments/creditCard/${id}`, cardBody('4111111111111111'));
    expect(codesOf(await Promise.all([pay(), pay(), pay(), pay(), pay()]))).to.deep.equal([
      'OK',
      'PAY004',
      'PAY004',
      'PAY004',
      'PAY004',
    ]);
    expect(await countCalls(id, 'submit')).to.equal(1);
  });

  it('is cancelled or paid, never both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await create();
      const answers = await Promise.all([
        gateway.post(`/payments/creditCard/${id}`, cardBody('4111111111111111')),
        gateway.post(`/payment-requests/${id}/cancel`, undefined),
      ]);
      expect(codesOf(answers)).to.deep.equal(['OK', 'PAY004']);
      const { paymentRequestStatusId } = (await gateway.get(`/payment-requests/${id}`)).json;
      expect(paymentRequestStatusId).to.equal(answers[0].status === 200 ? 2 : 5);
    }
  });

  it('is refunded no more than was paid, however many requests run concurrently', async () => {
    const payment = await makePaidPayment(11);
    const refund = async () => gateway.post(`/payment-requests/${payment.id}/refund`, { amount: 10 });
    const answers = await Promise.all([refund(), refund(), refund(), refund(), refund()]);
    expect(codesOf(answers)).to.deep.equal(['OK', 'OK', 'VAL002', 'VAL002', 'VAL002']);
    await until('both refunded', async () => {
      const { logs } = await payment.view();
      return logs.filter(({ message }: { message: string }) => /^refund .*succeeded/.test(message)).length >= 2;
    });
    await payment.waitForStatus(2);
    expect(await countCalls(payment.id, 'refund')).to.equal(2);
  });

  it('returns the refund with its current status when the callback succeeded and the answer failed', async () => {
    const payment = await makePaidPayment(16);
    proxies['provider-g']!.after = async ({ path }) => {
      if (!path.endsWith('/refunds')) return undefined;
      await payment.waitForStatus(4);
      return { status: 500, body: '{"code":"FAIL","reason":"INTERNAL","begun":false}' };
    };
    const answer = await gateway.post(`/payment-requests/${payment.id}/refund`, undefined);
    expect([answer.status, answer.json.paymentRequest?.paymentRequestStatusId], answer.text).to.deep.equal([200, 4]);
  });

  it('is returned with its current status when a wrong member code is answered after the right one', async () => {
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/12', cardBody('4000000000003238')));
    const { paymentId } = payment.action;
    const confirm = async (code: string) =>
      gateway.post(`/payments/cardMemberConfirm/${payment.id}`, { paymentId, code });
    let isAnswered = false;
    proxies['provider-b']!.after = async ({ path, body }) => {
      if (!path.includes('/confirm/') || !body.includes('999999')) return;
      isAnswered = true;
      await payment.waitForStatus(2);
    };
    const wrong = confirm('999999');
    await until('the provider has answered the wrong code', async () => isAnswered);
    expect((await confirm('123456')).status).to.equal(200);
    const answer = await wrong;
    expect([answer.status, answer.json.code ?? answer.json.paymentRequest.paymentRequestStatusId]).to.deep.equal([
      200, 2,
    ]);
  });

  it('opens no fallback when a callback has paid the attempt in the meantime', async () => {
    const id = await create();
    const payment = toTestPayment(gateway, { headers: new Headers({ 'x-payment-request-id': String(id) }) } as Answer);
    proxies['provider-a']!.after = async ({ method, path }) => {
      if (method !== 'POST' || !path.includes('/charges')) return undefined;
      await payment.waitForStatus(2);
      return unavailable;
    };
    const answer = await gateway.post(`/payments/creditCard/${id}`, cardBody('4111111111111111'));
    expect([answer.status, answer.json.paymentRequest.isFallback], answer.text).to.deep.equal([200, false]);
    expect(await countCalls(id, 'submit')).to.equal(1);
  });

  it('is marked as a double charge when the first attempt was paid after all', async () => {
    const id = await create();
    // A reports that nothing was charged, although it was. Its callback says so after the fallback has paid.
    proxies['provider-a']!.after = async ({ method, path }) =>
      method === 'POST' && path.includes('/charges') ? unavailable : undefined;
    const answer = await gateway.post(`/payments/creditCard/${id}`, cardBody('4111111111111111'));
    expect([answer.status, answer.json.paymentRequest.isFallback], answer.text).to.deep.equal([200, true]);
    const payment = toTestPayment(gateway, answer);
    await until('reported twice', async () =>
      (await payment.view()).logs.some(({ code }: { code: string }) => code === 'DOUBLE_CHARGE'),
    );
    expect(await payment.view()).to.deep.include({
      paymentRequestStatusId: 2,
      grossAmount: 51.8,
      paymentProviderId: 16,
    });
  });

  it('fetches the status again when a forged callback reported the same refund before the provider did', async () => {
    const payment = await makePaidPayment(12);
    const { transactionNumber: txn } = await payment.view();
    const { options } = gateway.run.config.adapters['provider-b'] as unknown as {
      options: { controlKeys: string[]; endpoint: string };
    };
    const reference = `GW-${payment.id}-1`;
    // The check covers neither the operation nor the amount: anyone who saw the callback of the sale can make this one.
    const check = createHash('sha1').update(`approved${txn}${reference}${options.controlKeys[0]}`).digest('hex');
    const facts = {
      outcome: 'approved',
      b_txn: txn,
      gw_ref: reference,
      endpoint: options.endpoint,
      op: 'reversal',
      op_no: '1',
    };
    const query = new URLSearchParams({ ...facts, total: '25.90', cur: 'EUR', check });
    const taken = await fetch(`${gateway.url}/callbacks/providerB?${query.toString()}`);
    expect(await taken.text()).to.equal('OK');
    const inbox = gateway.gateway.connection.collection('inbox');
    await until(
      'looked at',
      async () =>
        (await inbox.countDocuments({ 'events.event.providerStatus': 'reversal/approved', state: 'done' })) > 0,
    );
    expect((await payment.view()).paymentRequestStatusId).to.equal(2);

    const refund = { event: 'reversal/approved', money: { amount: '25.90', currency: 'EUR' }, times: 1, forge: false };
    const trigger: TriggerBody = { ...refund, reference, providerReference: txn };
    const sent = await fetch(`${gateway.sandboxes['provider-b']}${triggerPath}`, {
      method: 'POST',
      body: JSON.stringify(trigger),
    });
    expect(sent.status).to.equal(200);
    await payment.waitForStatus(4);
  });

  it('survives a fetch that outlives its lease and returns an outdated status', async () => {
    const payer = { ...JSON.parse(cardBody('4111111111111111', 18.4)), number: undefined };
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/15', payer));
    let isHeld = false;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxies['provider-f']!.after = async ({ method, path }) => {
      if (method !== 'GET' || !path.startsWith('/v1/deals') || isHeld) return;
      isHeld = true;
      await released; // The answer that waits here says that the deal is open.
    };
    await fetch(gateway.payPage(payment.id)); // A visit requests the first fetch.
    await until('fetched', async () => isHeld);
    await press(await openAction(payment.action), 'choice', 'pass');
    const payments = gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
    await until(
      'pinged',
      async () => ((await payments.findOne({ _id: payment.id })) as Kept).attempts[0].fetchesRequested > 1,
    );
    // Simulates the expiry of the first worker's lease.
    await payments.updateOne({ _id: payment.id }, { $set: { nextCheckAt: new Date(0) } });
    await reconcile.run(gateway.gateway, new AbortController().signal);
    const before = await payment.waitForStatus(2);
    release();
    await until('idle', async () => {
      // A late fetch could not be marked as seen. It is fetched again when due.
      await reconcile.run(gateway.gateway, new AbortController().signal);
      const { attempts, lease } = (await payments.findOne({ _id: payment.id })) as Kept;
      return (
        lease.token === null &&
        attempts[0].fetchesRequested === attempts[0].fetchesDone &&
        attempts[0].seenToken === null
      );
    });
    const { logs, paymentRequestStatusId } = await payment.view();
    expect([paymentRequestStatusId, logs]).to.deep.equal([2, before.logs]);
  });
});

// oxlint-disable-next-line typescript/no-explicit-any -- documents as MongoDB has them
type Kept = any;
