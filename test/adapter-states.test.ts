/** Adapters change between on, draining and off while callbacks and payments keep arriving. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import {
  createAdapterStateStore,
  openCountText,
  type AdapterStateStore,
} from '../core/engine/providers/states/adapter-states.ts';
import { until } from '../core/base/testing/until.ts';
import { cardBody } from './support/bodies.ts';
import { batchOf, sendBatch } from './support/provider-a-batch.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

type State = 'on' | 'draining' | 'off';

describe('the state of an adapter', () => {
  let gateway: TestGateway;
  let adapterStates: AdapterStateStore;

  before(async () => {
    gateway = await startGateway({
      adapters: ['provider-a', 'provider-b'],
      config(config) {
        Object.assign(config.adapters['provider-b'], { state: 'off', options: { endpoint: 'nowhere' } });
      },
    });
    adapterStates = createAdapterStateStore(gateway.gateway.connection, () => new Date());
  });
  after(async () => gateway.close());

  const stateOf = (name: string): string | undefined => gateway.gateway.providers.registry.stateOf(name);
  async function setState(to: State, reason = to as string): Promise<void> {
    await adapterStates.set('provider-a', to, reason);
    await until(`provider-a is ${to}`, async () => stateOf('provider-a') === to);
  }
  const statusOf = async (id: number): Promise<number> => {
    return (await gateway.get(`/payment-requests/${id}`)).json.paymentRequestStatusId as number;
  };
  /** A payment that stays pending until its callback arrives. */
  async function makePendingPayment(): Promise<{ id: number; ref: string; txn: string }> {
    const { json } = await gateway.post('/payments/h2h/11', cardBody('4000000000003097', '25.90'));
    const { id, transactionNumber: txn } = json.paymentRequest;
    return { id, ref: `GW-${id}-1`, txn };
  }
  const toCaptureBatch = ({ ref, txn }: { ref: string; txn: string }): string =>
    batchOf([{ txn, ref, what: 'CAPTURE' }]);

  it('loses no callback when the state flips under load, and refuses new payments only while the adapter drains', async () => {
    const open: Awaited<ReturnType<typeof makePendingPayment>>[] = [];
    for (let made = 0; made < 60; made += 1) open.push(await makePendingPayment());
    const answers: string[] = [];
    /** Each submission: the state and the number of flips before and after it, and its result. */
    const submitted: { status: number; was: string; is: string; id: number }[] = [];
    const flipping = { isRunning: true, turns: 0 };
    let sent = 0;

    const sendCallbacks = async (): Promise<void> => {
      // Cycle through all payments: a repeated callback gets the same answer as the first, whatever the state in
      // between.
      for (; flipping.isRunning || sent < open.length; sent += 1) {
        const { status, text } = await sendBatch(gateway.url, toCaptureBatch(open[sent % open.length]!));
        answers.push(`${status} ${text}`);
      }
    };
    const submit = async (): Promise<void> => {
      while (flipping.isRunning) {
        const state = (): string => `${stateOf('provider-a')} ${flipping.turns}`;
        const was = state();
        const { status, headers } = await gateway.post('/payments/h2h/11', cardBody('4000000000003063', '25.90'));
        const id = Number(headers.get('x-payment-request-id'));
        submitted.push({ status, was, is: state(), id });
      }
    };
    const flip = async (): Promise<void> => {
      for (const to of ['draining', 'on', 'draining', 'on'] as const) {
        flipping.turns += 1;
        await setState(to);
        const [submittedBefore, answersBefore] = [submitted.length, answers.length];
        await until(
          'load in this state',
          async () => submitted.length > submittedBefore + 3 && answers.length > answersBefore + 25,
        );
      }
      flipping.isRunning = false;
    };
    await Promise.all([flip(), sendCallbacks(), sendCallbacks(), submit(), submit()]);

    expect(new Set(answers)).to.deep.equal(new Set(['200 [taken]']));
    expect(answers.length).to.be.greaterThan(100);
    for (const { status, was, is } of submitted) {
      if (was === is) expect(status).to.equal(was.startsWith('on ') ? 200 : 404);
      else expect(status).to.be.oneOf([200, 404]);
    }
    expect(new Set(submitted.map(({ status }) => status))).to.deep.equal(new Set([200, 404]));
    const taken = submitted.filter(({ status }) => status === 200).map(({ id }) => id);
    // A refused submission left no document behind.
    expect(await gateway.gateway.connection.collection('paymentRequests').countDocuments()).to.equal(
      open.length + taken.length,
    );
    for (const id of [...open.map((one) => one.id), ...taken]) {
      await until(`payment ${id} is paid`, async () => (await statusOf(id)) === 2);
    }
  });

  it('keeps who changed it, when and why, newest first', async () => {
    const changes = await adapterStates.changes(4);
    expect(changes.map(({ adapter, from, to, by, reason }) => ({ adapter, from, to, by, reason }))).to.deep.equal(
      ['on', 'draining', 'on', 'draining'].map((to) => {
        return { adapter: 'provider-a', from: to === 'on' ? 'draining' : 'on', to, by: 'command', reason: to };
      }),
    );
    const versions = changes.map(({ version }) => version);
    expect(versions).to.deep.equal(versions.map((_, at) => versions[0]! - at));
    await until('the process reports its version', async () => {
      const [run] = await adapterStates.running();
      return run !== undefined && run.version === versions[0] && run.problem === '';
    });
  });

  it('handles returns, status questions and refunds while the adapter drains', async () => {
    const { json } = await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '25.90'));
    const { json: stepUp } = await gateway.post('/payments/h2h/11', cardBody('4000000000003220', '25.90'));
    const open = await makePendingPayment();
    await setState('draining');
    expect((await gateway.post(`/payment-requests/${json.paymentRequest.id}/refund`, {})).status).to.equal(200);
    await until('refunded', async () => (await statusOf(json.paymentRequest.id)) === 4);

    const page = await fetch(stepUp.action.url, { method: 'POST', body: new URLSearchParams({ result: 'pass' }) });
    expect(page.url).to.match(new RegExp(`^${gateway.url}/pay/`));
    await until('paid after 3D Secure', async () => (await statusOf(stepUp.paymentRequest.id)) === 2);

    const payments = gateway.gateway.connection.collection('paymentRequests');
    await payments.updateOne({ statusId: 1 }, { $set: { nextCheckAt: new Date() } });
    await gateway.work();
    const { json: timeline } = await gateway.get(`/payment-requests/${open.id}/timeline`);
    expect(timeline.items.map(({ call }: { call?: string }) => call)).to.include('fetchStatus');
    await setState('on');
  });

  it('answers callbacks with 404 while the adapter is off, and accepts them after it is on again', async () => {
    const payment = await makePendingPayment();
    await setState('off');
    expect((await sendBatch(gateway.url, toCaptureBatch(payment))).status).to.equal(404);
    expect((await adapterStates.openMoney('provider-a')).pending).to.be.greaterThan(0);
    await setState('on');
    expect(await sendBatch(gateway.url, toCaptureBatch(payment))).to.deep.equal({ status: 200, text: '[taken]' });
    await until('paid', async () => (await statusOf(payment.id)) === 2);
  });

  it('says to a merchant who names its code that it is off or draining', async () => {
    const messageOf = async (code: number): Promise<unknown> => {
      const { status, json } = await gateway.post(`/payments/h2h/${code}`, cardBody('4111111111111111', 25.9));
      return [status, json.code, json.message];
    };
    expect(await messageOf(12)).to.deep.equal([404, 'NF001', 'provider 12 is off']);
    expect(await messageOf(97)).to.deep.equal([404, 'NF001', 'a provider with this code does not exist']);
    await setState('draining');
    expect(await messageOf(11)).to.deep.equal([404, 'NF001', 'provider 11 is draining: it accepts no new payments']);
    await setState('off');
    expect(await messageOf(11)).to.deep.equal([404, 'NF001', 'provider 11 is off']);
    await setState('on');
  });

  it('counts open payments only up to one thousand', async () => {
    const payments = gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
    const { _id: __, ...paid } = (await payments.findOne({ 'attempts.outcome': 'succeeded' }))!;
    const before = (await adapterStates.openMoney('provider-a')).recentlyPaid;
    expect(openCountText(before)).to.equal(String(before));
    const many = Array.from({ length: 1100 }, (_, at) => at + 1);
    await payments.insertMany(many.map((_id) => ({ ...paid, _id })));
    const { recentlyPaid } = await adapterStates.openMoney('provider-a');
    expect([recentlyPaid, openCountText(recentlyPaid)]).to.deep.equal([1001, 'more than 1,000']);
    await payments.deleteMany({ _id: { $lte: many.length } });
  });

  it('leaves the other adapters unchanged when one cannot be turned on, and says why', async () => {
    const version = await adapterStates.set('provider-b', 'on', 'too early');
    const refused = await until('it says why', async () => {
      return (await adapterStates.running()).find(({ problem }) => problem !== '');
    });
    expect(refused.problem.split('\n')[0]).to.match(/^the adapters of environment development cannot be loaded:$/);
    expect(refused.problem).to.contain('provider-b: options.login: is missing').and.not.contain('nowhere');
    expect(refused.version).to.equal(version - 1);
    expect([stateOf('provider-a'), stateOf('provider-b')]).to.deep.equal(['on', 'off']);
    const payment = await makePendingPayment();
    expect((await sendBatch(gateway.url, toCaptureBatch(payment))).status).to.equal(200);
    await until('paid', async () => (await statusOf(payment.id)) === 2);
    expect(gateway.logged.join('\n')).to.contain('the adapters keep their previous states');

    const corrected = await adapterStates.set('provider-b', 'off', 'not yet');
    await until('it follows again', async () => {
      const [run] = await adapterStates.running();
      return run !== undefined && run.version === corrected && run.problem === '';
    });
  });
});
