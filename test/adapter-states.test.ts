/** An adapter is turned on, draining and off while callbacks and payments keep coming. */
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

describe('adapters that are turned on, draining and off', () => {
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
  async function turn(to: State, reason = to as string): Promise<void> {
    await adapterStates.set('provider-a', to, reason);
    await until(`provider-a is ${to}`, async () => stateOf('provider-a') === to);
  }
  const statusOf = async (id: number): Promise<number> => {
    return (await gateway.get(`/payment-requests/${id}`)).json.paymentRequestStatusId as number;
  };
  /** A payment that waits for ever, unless its callback comes. */
  async function waiting(): Promise<{ id: number; ref: string; txn: string }> {
    const { json } = await gateway.post('/payments/h2h/11', cardBody('4000000000003097', '25.90'));
    const { id, transactionNumber: txn } = json.paymentRequest;
    return { id, ref: `GW-${id}-1`, txn };
  }
  const capture = ({ ref, txn }: { ref: string; txn: string }): string => batchOf([{ txn, ref, what: 'CAPTURE' }]);

  it('loses no callback when it is flipped under load, and turns away new payments only while it drains', async () => {
    const open: Awaited<ReturnType<typeof waiting>>[] = [];
    for (let made = 0; made < 60; made += 1) open.push(await waiting());
    const answers: string[] = [];
    /** What was submitted, the state before and after it with the turns until then, and what came of it. */
    const submitted: { status: number; was: string; is: string; id: number }[] = [];
    const flipping = { goesOn: true, turns: 0 };
    let sent = 0;

    const sendCallbacks = async (): Promise<void> => {
      // Round and round: a repetition is answered as the first, whichever state comes between.
      for (; flipping.goesOn || sent < open.length; sent += 1) {
        const { status, text } = await sendBatch(gateway.url, capture(open[sent % open.length]!));
        answers.push(`${status} ${text}`);
      }
    };
    const submit = async (): Promise<void> => {
      while (flipping.goesOn) {
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
        await turn(to);
        const [submittedBefore, answersBefore] = [submitted.length, answers.length];
        await until(
          'load in this state',
          async () => submitted.length > submittedBefore + 3 && answers.length > answersBefore + 25,
        );
      }
      flipping.goesOn = false;
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
    // What was refused left nothing behind.
    expect(await gateway.gateway.connection.collection('paymentRequests').countDocuments()).to.equal(
      open.length + taken.length,
    );
    for (const id of [...open.map((one) => one.id), ...taken]) {
      await until(`payment ${id} is paid`, async () => (await statusOf(id)) === 2);
    }
  });

  it('keeps who turned it, when and why, the newest first', async () => {
    const changes = await adapterStates.changes(4);
    expect(changes.map(({ adapter, from, to, by, reason }) => ({ adapter, from, to, by, reason }))).to.deep.equal(
      ['on', 'draining', 'on', 'draining'].map((to) => {
        return { adapter: 'provider-a', from: to === 'on' ? 'draining' : 'on', to, by: 'command', reason: to };
      }),
    );
    const versions = changes.map(({ version }) => version);
    expect(versions).to.deep.equal(versions.map((_, at) => versions[0]! - at));
    await until('it says what it runs', async () => {
      const [run] = await adapterStates.running();
      return run !== undefined && run.version === versions[0] && run.problem === '';
    });
  });

  it('goes on with returns, questions and refunds while it drains', async () => {
    const { json } = await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '25.90'));
    const { json: stepUp } = await gateway.post('/payments/h2h/11', cardBody('4000000000003220', '25.90'));
    const open = await waiting();
    await turn('draining');
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
    await turn('on');
  });

  it('answers callbacks 404 while it is off, and takes them once it is on again', async () => {
    const payment = await waiting();
    await turn('off');
    expect((await sendBatch(gateway.url, capture(payment))).status).to.equal(404);
    expect((await adapterStates.openMoney('provider-a')).pending).to.be.greaterThan(0);
    await turn('on');
    expect(await sendBatch(gateway.url, capture(payment))).to.deep.equal({ status: 200, text: '[taken]' });
    await until('paid', async () => (await statusOf(payment.id)) === 2);
  });

  it('is not counted any further than to more than a thousand', async () => {
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

  it('leaves the others as they are where one cannot be turned on, and says why', async () => {
    const version = await adapterStates.set('provider-b', 'on', 'too early');
    const refused = await until('it says why', async () => {
      return (await adapterStates.running()).find(({ problem }) => problem !== '');
    });
    expect(refused.problem.split('\n')[0]).to.match(/^the adapters of environment development cannot be loaded:$/);
    expect(refused.problem).to.contain('provider-b: options.login: is missing').and.not.contain('nowhere');
    expect(refused.version).to.equal(version - 1);
    expect([stateOf('provider-a'), stateOf('provider-b')]).to.deep.equal(['on', 'off']);
    const payment = await waiting();
    expect((await sendBatch(gateway.url, capture(payment))).status).to.equal(200);
    await until('paid', async () => (await statusOf(payment.id)) === 2);
    expect(gateway.logged.join('\n')).to.contain('the adapters stay as they were');

    const mended = await adapterStates.set('provider-b', 'off', 'not yet');
    await until('it follows again', async () => {
      const [run] = await adapterStates.running();
      return run !== undefined && run.version === mended && run.problem === '';
    });
  });
});
