/** A provider that never answers, and a status fetch that kills its worker: neither delays other payments. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { until } from '../../core/base/testing/until.ts';
import { reconcile } from '../../workers/jobs/reconcile.ts';
import { superviseProcess } from '../../workers/supervisor/processes/supervise-process.ts';
import { MINUTE } from '../../core/base/async/time.ts';
import { cardBody } from '../support/bodies.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';

/** Shutdown limit of a worker. Half of it is for work in progress to finish. */
const graceMs = 4000;

describe("a fetch of a payment's status", () => {
  let gateway: TestGateway;
  let proxy: Proxy;
  before(async () => {
    proxy = await startProxy();
    gateway = await startGateway({
      adapters: ['provider-a', 'provider-b'],
      delayMs: 600_000,
      works: false,
      config(config) {
        config.adapters['provider-a'].options.sandboxBaseUrl = proxy.url;
        config.provider.callTimeoutMs = 600_000; // A call that hangs stays open until the test releases it.
      },
    });
    proxy.target = gateway.sandboxes['provider-a']!;
  });
  after(async () => {
    await gateway.close();
    await proxy.close();
  });

  const payments = () => gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  const loadPayment = async ({ id }: TestPayment): Promise<any> => payments().findOne({ _id: id });
  const makePendingPayment = async (code: number): Promise<TestPayment> =>
    toTestPayment(gateway, await gateway.post(`/payments/h2h/${code}`, cardBody('4000000000003097')));
  const runReconcile = async () => reconcile.run(gateway.gateway, new AbortController().signal);

  it('continues for one provider while another one never answers', async () => {
    const hung = await Promise.all(Array.from({ length: 8 }, async () => makePendingPayment(11)));
    const other = await makePendingPayment(12);
    let waiting = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    proxy.before = async () => {
      waiting += 1;
      await released;
      return { status: 503, body: '' };
    };
    // All payments of the hanging provider have been due for longer.
    await payments().updateMany({ _id: { $in: hung.map(({ id }) => id) } }, { $set: { nextCheckAt: new Date(0) } });
    await payments().updateOne({ _id: other.id }, { $set: { nextCheckAt: new Date(1) } });
    const asking = runReconcile();
    await until('the other one was checked', async () => (await loadPayment(other)).attempts[0].checks === 1);
    await until('a share of the hanging ones waits', async () => waiting >= 4);
    expect(waiting).to.equal(4);
    release();
    await asking;
    proxy.before = async () => undefined;
  });

  it('is postponed after it killed its workers repeatedly, and raises an alarm', async () => {
    const payment = await makePendingPayment(12);
    const makeDue = async () => payments().updateOne({ _id: payment.id }, { $set: { nextCheckAt: new Date(0) } });
    const { reconciler } = gateway.gateway.payments;
    for (let times = 1; times <= 3; times += 1) {
      await makeDue();
      // Its worker stops without any report.
      expect((await (times < 3 ? reconciler.claim([]) : reconciler.claimSuspect()))?._id).to.equal(payment.id);
    }
    await makeDue();
    await runReconcile();
    const { nextCheckAt, lease, attempts } = await loadPayment(payment);
    expect(lease).to.deep.equal({ token: null, worker: null, claimedAt: null, expiries: 3 });
    expect(nextCheckAt.getTime() - Date.now()).to.be.within(4 * MINUTE, 5 * MINUTE);
    expect(attempts[0].checks).to.equal(0);
    const alarms = gateway.logged.filter((line) => line.includes('"alarm":true') && line.includes(`${payment.id}`));
    expect(alarms).to.have.length(1);
    // A requested fetch brings it back.
    await fetch(gateway.payPage(payment.id));
    await runReconcile();
    expect((await loadPayment(payment)).attempts[0].fetchesDone).to.equal(1);
  });

  it('is released by a worker that is stopped while a provider hangs, and counts as no failure', async () => {
    const payment = await makePendingPayment(11);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    proxy.before = async () => released.then(() => ({ status: 503, body: '' }));
    await payments().updateOne({ _id: payment.id }, { $set: { nextCheckAt: new Date(0) } });
    const worker = superviseProcess({
      script: new URL('../../workers/worker.js', import.meta.url),
      title: 'The worker',
      newName: () => 'stopped',
      options: async (name) => ({ run: gateway.run, name, log: {} }),
      log: pino({ level: 'silent' }),
    });
    try {
      await worker.started;
      await until('it holds the payment', async () => (await loadPayment(payment)).lease.worker === 'stopped');
    } finally {
      await worker.stop(graceMs);
      release();
      proxy.before = async () => undefined;
    }
    const { lease, attempts } = await loadPayment(payment);
    expect(lease).to.deep.equal({ token: null, worker: null, claimedAt: null, expiries: 0 });
    expect(attempts[0].checks).to.equal(0);
  });
});
