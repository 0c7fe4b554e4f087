import {
  noInformation,
  statusTable,
  unknown,
  type Outcome,
  type ReportedEvent,
  type StatusReport,
} from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { mongo } from 'mongoose';
import {
  nothingGiven,
  paymentRequestModel,
  type PaymentRecord,
} from '../../../database/collections/payment-request.ts';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { valueOf } from '../../../base/metrics/testing/read-page.ts';
import { requestCheck } from './request-check.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

describe('reconciliation', () => {
  const suite = usePayments();

  /** Creates a payment whose submission has this outcome. */
  async function submitPayment({ service, providers }: TestPayments, outcome: Outcome): Promise<number> {
    providers.first.answerWith(outcome);
    const client = { name: null, email: null, address: null, phone: null, memberId: null };
    const { id } = await service.create(caller, { ...order, ...nothingGiven, client, send: false });
    await service.pay(caller, id, cardInput()).catch(() => undefined);
    return id;
  }

  const successReport = (id: number, members: Partial<ReportedEvent> = {}): StatusReport => {
    const event: ReportedEvent = {
      kind: 'payment',
      providerStatus: 'paid',
      reference: `GW-${id}-1`,
      providerReference: 'P-1',
      amount: '10',
      currency: 'EUR',
      dedupeKey: 'P-1:paid',
      ...members,
    };
    return { result: 'events', events: [event] };
  };

  /** Makes the check due and lets one worker run it. */
  async function runCheck({ reconciler, store }: TestPayments, id: number): Promise<PaymentRecord> {
    await suite.makeDue(id);
    const claimed = await reconciler.claim([]);
    expect(claimed?._id).to.equal(id);
    await reconciler.reconcile(claimed!);
    return (await store.load(id))!;
  }

  it('marks a payment as paid if the provider reports it as paid', async () => {
    const payments = suite.create();
    const id = await submitPayment(payments, unknown('the connection was closed'));
    payments.providers.first.reportStatus(successReport(id));
    const record = await runCheck(payments, id);
    expect(record).to.include({ statusId: 2, nextCheckAt: null, paidAmount: '10' });
    expect(record.lease.token).to.equal(null);
  });

  for (const [what, action, take] of [
    [
      '3D Secure step',
      { type: 'redirect', method: 'GET', url: 'https://bank.example/1', transactionId: 'tx-1' },
      async ({ service }: TestPayments, id: number) => service.resume(caller, id, 'tx-1'),
    ],
    [
      'member code',
      { type: 'confirm', paymentId: 'P-1' },
      async ({ service }: TestPayments, id: number) => service.confirm(caller, id, 'P-1', '123456'),
    ],
  ] as const) {
    it(`checks a payment again whose checks were over if its ${what} is sent and gets no answer`, async () => {
      const complete = async (): Promise<Outcome> => unknown('lost');
      const payments = suite.create({}, { first: { adapter: { complete } } });
      const id = await submitPayment(payments, { outcome: 'pending', providerReference: 'P-1', action });
      await payments.store.change(id, 'test', (record) => ({
        next: { ...record, attempts: record.attempts.map((one) => ({ ...one, needsReview: true })) },
      }));
      await take(payments, id);
      payments.providers.first.reportStatus(successReport(id));
      expect(await runCheck(payments, id)).to.include({ statusId: 2, paidAmount: '10' });
    });
  }

  it('rejects a success with another amount or currency', async () => {
    const payments = suite.create();
    for (const wrong of [{ amount: '9.99' }, { currency: 'JPY' }]) {
      const id = await submitPayment(payments, unknown('lost'));
      payments.providers.first.reportStatus(successReport(id, wrong));
      expect((await runCheck(payments, id)).statusId).to.equal(1);
      await payments.store.change(id, 'test', (record) => ({ next: { ...record, nextCheckAt: null } }));
    }
  });

  it('changes nothing without information, and checks again later', async () => {
    const payments = suite.create();
    const id = await submitPayment(payments, unknown('lost'));
    payments.providers.first.reportStatus(noInformation('503'));
    const record = await runCheck(payments, id);
    expect(record.statusId).to.equal(1);
    expect(record.attempts[0]).to.include({ checks: 1, needsReview: false });
    expect(record.nextCheckAt!.getTime()).to.be.greaterThan(Date.now());
  });

  it('ends a submission with demanded 3D Secure whose process died after a callback paid it', async () => {
    const payments = suite.create();
    const id = await submitPayment(payments, { outcome: 'succeeded', providerReference: 'P-1' });
    const past = new Date(Date.now() - 1000);
    await payments.store.change(id, 'test', (record) => {
      const left = { endedAt: null, deadlineAt: past, threeDsDemand: 'enforced' } as const;
      return { next: { ...record, attempts: record.attempts.map((one) => ({ ...one, ...left })) } };
    });
    payments.providers.first.reportStatus(successReport(id, { dedupeKey: 'P-1:paid again' }));
    const record = await runCheck(payments, id);
    expect(record.logs.map(({ message }) => message)).to.include(
      'no readable answer; settled before; 3D Secure was demanded and is not shown',
    );
    expect(record).to.include({ statusId: 2, nextCheckAt: null });
    expect(payments.logged.filter(({ alarmKind }) => alarmKind === 'three_ds_missing')).to.have.length(1);
  });

  describe('a challenge that was lost with the answer to the submission', () => {
    const lost = /^pending: the payer’s next step was lost with the provider’s answer/;
    const challenge = (id: number): StatusReport =>
      successReport(id, { providerStatus: 'challenge', dedupeKey: 'P-1:challenge', awaitsPayer: true });
    const status: NonNullable<Parameters<typeof suite.create>[1]>['first'] = {
      adapter: {
        mapStatus: statusTable({ payment: { challenge: 'pending', paid: 'succeeded', refused: 'failed' } }),
      },
    };

    for (const [name, report] of [
      ['waits', (): StatusReport => ({ result: 'waiting', awaitsPayer: true })],
      ['shows a pending payment', challenge],
    ] as const) {
      it(`stays pending and says so if the provider ${name}, until the provider ends the payment`, async () => {
        const payments = suite.create({}, { first: status });
        const id = await submitPayment(payments, unknown('the connection was closed'));
        payments.providers.first.reportStatus(report(id));
        await runCheck(payments, id);
        const record = await runCheck(payments, id);
        expect(record.statusId).to.equal(1);
        expect(record.logs.map(({ message }) => message).filter((message) => lost.test(message))).to.have.length(1);
        expect((await payments.service.get(caller, id))['logMessage']).to.match(lost);
        const link = { linkKey: record.linkKey };
        expect(await payments.service.payPage(id, link, async () => undefined)).to.include({ stepLost: true });
        const refusal = await expectRefusal('PAYMENT_NOT_PAYABLE', async () =>
          payments.service.pay(caller, id, cardInput()),
        );
        expect(refusal.message).to.match(lost);
        expect(payments.providers.first.submitted).to.have.length(1);

        const ended = {
          providerStatus: 'refused',
          dedupeKey: 'P-1:refused',
          decline: '05',
          threeDsResult: 'N',
        } as const;
        payments.providers.first.reportStatus(successReport(id, ended));
        expect((await runCheck(payments, id)).attempts[0]).to.include({ outcome: 'failed', threeDsResult: 'N' });
        const page = await payments.service.payPage(id, link, async () => undefined);
        expect([page?.stepLost, page?.details?.failure]).to.deep.equal([false, { kind: 'three_ds' }]);
        payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-2' });
        expect(
          (await (await payments.service.pay(caller, id, cardInput())).present()).view['paymentRequestStatusId'],
        ).to.equal(2);
      });
    }
  });

  it('fetches the status of a submission whose process died, and never sends the submission again', async () => {
    const payments = suite.create();
    const id = await submitPayment(payments, { outcome: 'pending' });
    // The state that a killed process leaves.
    await payments.store.change(id, 'test', (record) => {
      const past = new Date(Date.now() - 1000);
      const attempts = record.attempts.map((one) => ({ ...one, endedAt: null, deadlineAt: past }));
      return { next: { ...record, attempts } };
    });
    payments.providers.first.reportStatus(successReport(id));
    const record = await runCheck(payments, id);
    expect(record.statusId).to.equal(2);
    expect(payments.providers.first.submitted).to.have.length(1);
  });

  it('gives one payment to one worker, and releases the claims of a dead worker', async () => {
    const payments = suite.create();
    const id = await submitPayment(payments, unknown('lost'));
    await suite.makeDue(id);
    const claims = await Promise.all([payments.reconciler.claim([]), payments.reconciler.claim([])]);
    expect(claims.map((one) => one?._id).filter(Boolean)).to.deep.equal([id]);
    await payments.reconciler.releaseWorker('w1');
    const again = await payments.reconciler.claim([]);
    expect(again).to.include({ _id: id });
    expect(again!.lease.expiries).to.equal(1);
    await payments.reconciler.reconcile(again!);
  });

  it('claims no payment of a busy provider', async () => {
    const payments = suite.create();
    const id = await submitPayment(payments, unknown('lost'));
    await suite.makeDue(id);
    expect(await payments.reconciler.claim(['first'])).to.equal(undefined);
    expect(await payments.reconciler.claim(['second'])).to.include({ _id: id });
    await payments.reconciler.releaseWorker('w1');
    await runCheck(payments, id);
  });

  it('stops sending seen notices that the provider never accepts, and raises an alarm', async () => {
    let notices = 0;
    const markSeen = async (): Promise<'later'> => {
      notices += 1;
      return 'later';
    };
    const payments = suite.create({}, { first: { adapter: { markSeen } } });
    const id = await submitPayment(payments, unknown('lost'));
    payments.providers.first.reportStatus({ ...successReport(id), seenToken: 'S-1' } as StatusReport);
    let record = await runCheck(payments, id);
    payments.providers.first.reportStatus(noInformation('503'));
    for (let times = 0; times < 100 && record.nextCheckAt; times += 1) record = await runCheck(payments, id);
    expect([notices, record.nextCheckAt, record.attempts[0]?.seenToken]).to.deep.equal([30, null, null]);
    expect(payments.logged.filter(({ alarmKind }) => alarmKind === 'seen_refused')).to.have.length(1);
  });

  describe('a payment whose checks kill their workers', () => {
    /** Lets a worker claim the payment and die. Returns whether the payment was claimed. */
    async function killWorker({ reconciler }: TestPayments): Promise<boolean> {
      const claimed = (await reconciler.claim([])) ?? (await reconciler.claimSuspect());
      await reconciler.releaseWorker('w1');
      return claimed !== undefined;
    }
    const minutesToNext = ({ nextCheckAt }: PaymentRecord): number =>
      Math.round((nextCheckAt!.getTime() - Date.now()) / 60_000);

    it('is checked alone from the second death on, at growing intervals, and is never given up', async () => {
      const payments = suite.create();
      const id = await submitPayment(payments, unknown('lost'));
      await suite.makeDue(id);
      expect(await killWorker(payments)).to.equal(true);
      expect(await killWorker(payments)).to.equal(true);
      expect(await payments.reconciler.claim([])).to.equal(undefined);
      const delays: number[] = [];
      for (let deaths = 2; deaths < 12; deaths += 1) {
        expect(await killWorker(payments)).to.equal(true);
        expect(await killWorker(payments), 'postponed').to.equal(false);
        delays.push(minutesToNext((await payments.store.load(id))!));
        await suite.makeDue(id);
      }
      expect(delays).to.deep.equal([5, 10, 20, 40, 80, 160, 320, 360, 360, 360]);
      expect(payments.logged.filter(({ alarmKind }) => alarmKind === 'payment_ends_workers')).to.have.length(10);
      expect(await valueOf(payments.metrics, 'gateway_lease_expiries_total', { queue: 'reconcile' })).to.equal(12);
      payments.providers.first.reportStatus(successReport(id));
      const claimed = (await payments.reconciler.claimSuspect())!;
      await payments.reconciler.reconcile(claimed);
      const { statusId, lease } = (await payments.store.load(id))!;
      expect([statusId, lease.expiries]).to.deep.equal([2, 0]);
    });

    it('counts no worker that stops cleanly', async () => {
      const payments = suite.create();
      const id = await submitPayment(payments, unknown('lost'));
      await suite.makeDue(id);
      for (let stops = 0; stops < 7; stops += 1) {
        expect(await payments.reconciler.claim([])).to.include({ _id: id });
        await payments.reconciler.releaseAll();
      }
      expect((await payments.store.load(id))!.lease).to.deep.include({ token: null, expiries: 0 });
      payments.providers.first.reportStatus(successReport(id));
      expect((await runCheck(payments, id)).statusId).to.equal(2);
    });

    it('does not count a check that failed because the database did not answer, and repeats the check immediately', async () => {
      const payments = suite.create();
      const id = await submitPayment(payments, unknown('lost'));
      await suite.makeDue(id);
      payments.providers.first.reportStatus(successReport(id));
      const claimed = (await payments.reconciler.claim([]))!;
      const { collection } = paymentRequestModel(suite.connection());
      const bulkWrite = collection.bulkWrite.bind(collection);
      collection.bulkWrite = async () => {
        throw new mongo.MongoNetworkError('connection closed');
      };
      await payments.reconciler.reconcile(claimed).finally(() => (collection.bulkWrite = bulkWrite));
      expect((await payments.store.load(id))!.statusId).to.equal(1);
      const again = (await payments.reconciler.claim([]))!;
      expect(again).to.deep.include({ _id: id }).and.have.nested.property('lease.expiries', 0);
      await payments.reconciler.reconcile(again);
      expect((await payments.store.load(id))!.statusId).to.equal(2);
    });

    it('is checked immediately if an operator requests it', async () => {
      const payments = suite.create();
      const id = await submitPayment(payments, unknown('lost'));
      await suite.makeDue(id);
      for (let deaths = 0; deaths < 4; deaths += 1) await killWorker(payments);
      expect(await payments.reconciler.claimSuspect()).to.equal(undefined);
      expect(await requestCheck(suite.connection(), id)).to.equal(true);
      payments.providers.first.reportStatus(successReport(id));
      const claimed = (await payments.reconciler.claim([]))!;
      await payments.reconciler.reconcile(claimed);
      expect((await payments.store.load(id))!.statusId).to.equal(2);
      expect(await requestCheck(suite.connection(), 1)).to.equal(false);
    });
  });
});
