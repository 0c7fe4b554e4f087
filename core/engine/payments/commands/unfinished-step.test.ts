import {
  noInformation,
  statusTable,
  unknown,
  type Action,
  type CompletionStep,
  type StatusReport,
} from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import type { Way } from '@paywright/contract';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import { MINUTE } from '../../../base/async/time.ts';
import { until } from '../../../base/testing/until.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

const challenge: Action = { type: 'redirect', method: 'GET', url: 'https://bank.example/1', transactionId: 'tx-1' };
const expiry = (minutes: number): string => `${new Date(Date.now() + minutes * MINUTE).toISOString().slice(0, 19)}Z`;
const coins = (minutes: number): Action => {
  return { type: 'crypto', address: 'a', coin: 'BTC', amount: '1', network: 'bitcoin', expiry: expiry(minutes) };
};
const mapStatus = statusTable({ payment: { open: 'pending', paid: 'succeeded', refused: 'failed', gone: 'expired' } });

type EventReport = Extract<StatusReport, { readonly result: 'events' }>;

describe('an unfinished step', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let completed: CompletionStep[];
  let answered: Promise<void>;

  function start(way: Partial<Way>, hasFetch = true): void {
    completed = [];
    answered = Promise.resolve();
    const ways = [{ method: 'card', title: 'Card', threeDs: 'enforced', payerFields: [], ...way }] as const;
    const complete = async (_: unknown, step: CompletionStep) => {
      completed.push(step);
      await answered;
      return { outcome: 'succeeded', providerReference: 'P-1' } as const;
    };
    const adapter = { complete, mapStatus, ...(!hasFetch && { fetchStatus: undefined }) };
    payments = suite.create({}, { first: { manifest: { ways }, adapter: adapter as object } });
  }
  beforeEach(() => start({ unfinishedStep: 'charges_nothing' }));

  async function payWith(action: Action = challenge, members: Partial<typeof order> = {}): Promise<number> {
    payments.providers.first.answerWith({ outcome: 'pending', providerReference: 'P-1', action });
    return (await payments.service.payH2h(caller, 41, { ...order, ...members }, cardInput())).id;
  }
  async function payAgain(id: number): Promise<PaymentRecord> {
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-2' });
    await payments.service.pay(caller, id, cardInput());
    return load(id);
  }
  const load = async (id: number): Promise<PaymentRecord> => (await payments.store.load(id))!;
  const refusalOf = async (id: number) => expectRefusal('PAYMENT_NOT_PAYABLE', async () => payAgain(id));
  async function changeAttempt(id: number, members: Partial<Attempt>): Promise<void> {
    await payments.store.change(id, 'test', (record) => ({
      next: { ...record, attempts: record.attempts.map((one) => ({ ...one, ...members })) },
    }));
  }
  const report = (id: number, providerStatus: string, members: object = {}): EventReport => ({
    result: 'events',
    events: [
      {
        kind: 'payment',
        providerStatus,
        reference: `GW-${id}-1`,
        providerReference: 'P-1',
        amount: '10',
        currency: 'EUR',
        dedupeKey: `P-1:${providerStatus}`,
        ...members,
      },
    ],
  });

  it('is replaced immediately if it charges nothing: in one change, without a call about it or a notification', async () => {
    const id = await payWith(challenge, { notifyUrl: 'https://shop.example/hook' });
    const before = await load(id);
    const record = await payAgain(id);
    expect(record).to.include({ statusId: 2, paidAmount: '10' });
    expect(
      record.attempts.map(({ outcome, decline, nothingCharged }) => [outcome, decline, nothingCharged]),
    ).to.deep.equal([
      ['failed', null, false],
      ['succeeded', null, false],
    ]);
    expect(record.attempts[0]).to.include({ action: null });
    expect(
      record.logs.slice(before.logs.length).map(({ attempt, code, message }) => [attempt, code, message]),
    ).to.deep.equal([
      [1, '', 'the payer left the step; another attempt replaces it'],
      [2, '', 'succeeded'],
    ]);
    expect(record.transitions.map(({ from, to }) => [from, to])).to.deep.equal([
      [0, 1],
      [1, 2],
    ]);
    expect([before.sequence, record.sequence], 'pending, then succeeded').to.deep.equal([1, 2]);
    expect([payments.providers.first.fetched, completed]).to.deep.equal([[], []]);
  });

  it('is not completed if its attempt was replaced: the answer shows the current payment', async () => {
    const id = await payWith();
    await payAgain(id);
    const { view } = await (await payments.service.resume(caller, id, 'tx-1')).present();
    expect(view['paymentRequestStatusId']).to.equal(2);
    expect(completed).to.deep.equal([]);
  });

  it('is not replaced if it was taken or its outcome is unknown', async () => {
    const id = await payWith();
    const { steps } = attemptOf(await load(id), 1)!;
    await changeAttempt(id, { steps: steps.map((step) => ({ ...step, takenAt: new Date() })) });
    expect((await refusalOf(id)).message).to.equal('an attempt is in progress: wait for its result');
    await changeAttempt(id, { steps, unknown: true });
    await refusalOf(id);
    await changeAttempt(id, { unknown: false, codesSent: 1 });
    await refusalOf(id);
    await changeAttempt(id, { codesSent: 0, authorisedAt: new Date() });
    await refusalOf(id);
    await changeAttempt(id, { authorisedAt: null, received: '1' });
    await refusalOf(id);
    await changeAttempt(id, { received: null, endedAt: null });
    await refusalOf(id);
    await changeAttempt(id, { endedAt: new Date() });
    expect((await payAgain(id)).statusId).to.equal(2);
  });

  it('is replaced by one of two requests at the same time', async () => {
    const id = await payWith();
    payments.providers.first.answerWith(
      { outcome: 'succeeded', providerReference: 'P-2' },
      { outcome: 'succeeded', providerReference: 'P-3' },
    );
    const both = await Promise.allSettled([1, 2].map(async () => payments.service.pay(caller, id, cardInput())));
    expect(both.map((one) => one.status).toSorted()).to.deep.equal(['fulfilled', 'rejected']);
    expect((await load(id)).attempts.map(({ outcome }) => outcome)).to.deep.equal(['failed', 'succeeded']);
  });

  it('is not replaced by a request that prepared to replace an earlier attempt', async () => {
    let answer = (): void => undefined;
    const gate = new Promise<void>((resolve) => (answer = resolve));
    let fetches = 0;
    const ways = [
      { method: 'card', title: 'Card', threeDs: 'enforced', payerFields: [], unfinishedStep: 'may_charge' },
    ] as const;
    const fetchStatus = async (): Promise<StatusReport> => {
      fetches += 1;
      if (fetches === 1) await gate;
      return { result: 'waiting' };
    };
    payments = suite.create({}, { first: { manifest: { ways }, adapter: { fetchStatus, mapStatus } } });
    const id = await payWith(coins(-1));
    const slow = refusalOf(id);
    await until('the provider is asked', () => fetches === 1);
    payments.providers.first.answerWith({ outcome: 'pending', providerReference: 'P-2', action: coins(-1) });
    await payments.service.pay(caller, id, cardInput());
    answer();
    expect((await slow).message).to.match(/wait for its result$/);
    expect((await load(id)).attempts.map(({ outcome }) => outcome)).to.deep.equal(['failed', 'open']);
  });

  it('is replaced only after its time limit if it may charge, and PAY004 says until when', async () => {
    for (const way of [
      { unfinishedStep: 'may_charge', stepMinutes: 30 },
      { unfinishedStep: 'close', stepMinutes: 30 },
    ] as const) {
      start(way);
      const id = await payWith();
      const refusal = await refusalOf(id);
      const end = new Date(attemptOf(await load(id), 1)!.endedAt!.getTime() + 30 * MINUTE).toISOString();
      expect(refusal.details).to.deep.equal({ until: end });
      expect(refusal.message).to.equal(
        `the payer can still finish the open attempt: another attempt is possible from ${end} on`,
      );
      expect(payments.providers.first.fetched).to.deep.equal([]);
      await changeAttempt(id, { endedAt: new Date(Date.now() - 31 * MINUTE) });
      payments.providers.first.reportStatus({ result: 'waiting' });
      expect((await payAgain(id)).statusId).to.equal(2);
      expect(payments.providers.first.fetched).to.have.length(1);
    }
  });

  it('is replaced after its own expiry if it names one, whatever its way says', async () => {
    start({ unfinishedStep: 'may_charge', stepMinutes: 1 });
    const open = coins(30);
    const early = await payWith(open);
    expect((await refusalOf(early)).details).to.deep.equal({
      until: new Date((open as { expiry: string }).expiry).toISOString(),
    });
    const code = (minutes: number): Action => ({ type: 'qr', text: 'app://pay/1', expiry: expiry(minutes) });
    expect((await refusalOf(await payWith(code(30)))).details).to.have.property('until');
    for (const action of [coins(-1), code(-1)]) {
      const late = await payWith(action);
      payments.providers.first.reportStatus({ result: 'nothing_charged' });
      expect((await payAgain(late)).statusId).to.equal(2);
    }
  });

  it('is not replaced without a time limit, without `fetchStatus`, or if its way does not declare the member', async () => {
    start({ unfinishedStep: 'may_charge' });
    expect((await refusalOf(await payWith())).details).to.deep.equal({});
    start({});
    expect((await refusalOf(await payWith())).details).to.deep.equal({});
    start({ unfinishedStep: 'may_charge', stepMinutes: 1 }, false);
    const id = await payWith();
    await changeAttempt(id, { endedAt: new Date(Date.now() - 2 * MINUTE) });
    expect((await refusalOf(id)).details).to.deep.equal({});
  });

  describe('that may charge, after its time limit', () => {
    beforeEach(() => start({ unfinishedStep: 'may_charge' }));
    const refused: readonly (readonly [string, (id: number) => StatusReport])[] = [
      ['no information', () => noInformation('503')],
      ['a pending payment that no longer shows the step', (id) => report(id, 'open')],
      ['coins that arrived', (id) => report(id, 'open', { action: coins(-1), received: '1' })],
      ['a step that the payer finished', (id) => report(id, 'open', { action: coins(-1), awaitsCompletion: true })],
      ['an unknown status', (id) => report(id, 'odd', { awaitsPayer: true })],
    ];
    for (const [name, shown] of refused) {
      it(`is not replaced if the provider reports ${name}`, async () => {
        const id = await payWith(coins(-1));
        payments.providers.first.reportStatus(shown(id));
        expect((await refusalOf(id)).message).to.match(/wait for its result$/);
        expect((await load(id)).attempts).to.have.length(1);
      });
    }

    it('is replaced if the provider still shows the step', async () => {
      const id = await payWith(coins(-1));
      payments.providers.first.reportStatus(report(id, 'open', { action: coins(-1) }));
      expect((await payAgain(id)).attempts.map(({ outcome }) => outcome)).to.deep.equal(['failed', 'succeeded']);
    });

    it('is paid, not replaced, if the provider reports a success', async () => {
      const id = await payWith(coins(-1));
      payments.providers.first.reportStatus(report(id, 'paid'));
      await refusalOf(id);
      expect(await load(id)).to.include({ statusId: 2, paidAmount: '10' });
      expect(payments.providers.first.submitted).to.have.length(1);
    });

    it('has failed, and the payment can be paid, if the provider reports a failure', async () => {
      const id = await payWith(coins(-1));
      payments.providers.first.reportStatus(report(id, 'refused', { decline: '51' }));
      const record = await payAgain(id);
      expect(record.attempts.map(({ outcome, decline }) => [outcome, decline])).to.deep.equal([
        ['failed', '51'],
        ['succeeded', null],
      ]);
    });
  });

  it('counts a late success of a replaced attempt as a double charge, or as the payment', async () => {
    const id = await payWith();
    await payAgain(id);
    payments.providers.first.reportStatus(report(id, 'paid'));
    await changeAttempt(id, { fetchesRequested: 1 });
    await suite.makeDue(id);
    await payments.reconciler.reconcile((await payments.reconciler.claim([]))!);
    const record = await load(id);
    expect(record.attempts.map(({ outcome }) => outcome)).to.deep.equal(['succeeded', 'succeeded']);
    expect(record.logs.map(({ code }) => code)).to.include('DOUBLE_CHARGE');
  });

  it('counts a success of a replaced attempt that arrives while the next one is submitted', async () => {
    for (const [second, ends, codes] of [
      [{ outcome: 'failed', decline: '51' }, ['succeeded', 'failed'], []],
      [{ outcome: 'succeeded', providerReference: 'P-2' }, ['succeeded', 'succeeded'], ['DOUBLE_CHARGE']],
    ] as const) {
      const id = await payWith();
      payments.providers.first.answerWith(async () => {
        const event = { ...report(id, 'paid').events[0]!, status: 'succeeded' } as const;
        const fact = { type: 'event', attempt: 1, event, at: new Date(), fetched: false } as const;
        await payments.store.change(id, 'callback', (record) => applyFacts(record, [fact], payments.feeOf));
        return second;
      });
      await payments.service.pay(caller, id, cardInput());
      const record = await load(id);
      expect([record.statusId, record.attempts.map(({ outcome }) => outcome)]).to.deep.equal([2, ends]);
      expect(record.logs.map(({ code }) => code).filter((code) => code === 'DOUBLE_CHARGE')).to.deep.equal(codes);
    }
  });

  it('is shown as cancelled, not as declined, if the payer cancelled it at the provider', async () => {
    const id = await payWith();
    const event = { ...report(id, 'refused').events[0]!, status: 'cancelled' } as const;
    const fact = { type: 'event', attempt: 1, event, at: new Date(), fetched: true } as const;
    await payments.store.change(id, 'fetch', (record) => applyFacts(record, [fact], payments.feeOf));
    const { linkKey } = await load(id);
    const page = await payments.service.payPage(id, { linkKey }, async () => undefined);
    expect(page?.details?.failure).to.deep.equal({ kind: 'cancelled' });
  });

  it('is fetched to the end of its schedule, and later ends of it are no declines', async () => {
    const id = await payWith();
    payments.providers.first.answerWith({ outcome: 'failed', decline: '51' });
    await expectRefusal('CARD_DECLINED', async () => payments.service.pay(caller, id, cardInput()));
    const before = await load(id);
    expect(before.nextCheckAt).not.to.equal(null);
    const answers = [report(id, 'refused', { decline: '05' }), report(id, 'gone'), noInformation('503')] as const;
    for (const [at, shown] of answers.entries()) {
      await changeAttempt(id, { lastCheckedAt: new Date(Date.now() - 10 * MINUTE) });
      payments.providers.first.reportStatus(shown);
      await suite.makeDue(id);
      await payments.reconciler.reconcile((await payments.reconciler.claim([]))!);
      expect(payments.providers.first.fetched.map(({ attempt }) => attempt)).to.deep.equal(Array(at + 1).fill(1));
    }
    const record = await load(id);
    expect(record.logs).to.have.length(before.logs.length);
    expect(record.attempts[0]).to.include({ outcome: 'failed', decline: null, checks: 3 });
    // The policy of the fake gives up after ten minutes.
    await changeAttempt(id, { endedAt: new Date(Date.now() - 11 * MINUTE), lastCheckedAt: new Date() });
    expect((await load(id)).nextCheckAt).to.equal(null);
    expect(payments.logged.filter(({ alarmKind }) => alarmKind !== undefined)).to.deep.equal([]);
  });

  it('is ended by a cancellation of the merchant under the same rules', async () => {
    const id = await payWith();
    await payments.service.cancel(caller, id);
    const record = await load(id);
    expect([record.statusId, record.attempts[0]!.outcome, record.logs.at(-1)?.code]).to.deep.equal([5, 'failed', '']);
    await refusalOf(id);
    start({ unfinishedStep: 'may_charge', stepMinutes: 30 });
    const open = await payWith();
    const cancel = async (one: number) => payments.service.cancel(caller, one);
    const refusal = await expectRefusal('PAYMENT_NOT_PAYABLE', async () => cancel(open));
    expect(refusal.details['until']).to.be.a('string');
    await changeAttempt(open, { endedAt: new Date(Date.now() - 31 * MINUTE) });
    payments.providers.first.reportStatus(noInformation('503'));
    await expectRefusal('PAYMENT_NOT_PAYABLE', async () => cancel(open));
    payments.providers.first.reportStatus({ result: 'waiting' });
    await cancel(open);
    expect((await load(open)).statusId).to.equal(5);
  });

  it('is not replaced while a member code is on its way, and a code of a replaced attempt is not sent', async () => {
    const id = await payWith({ type: 'confirm', paymentId: 'P-1' });
    let answer = (): void => undefined;
    answered = new Promise((resolve) => (answer = resolve));
    const confirmed = payments.service.confirm(caller, id, 'P-1', '123456');
    await until('the code is sent', () => completed.length === 1);
    await refusalOf(id);
    answer();
    await confirmed;
    expect((await load(id)).attempts).to.have.length(1);
    const other = await payWith({ type: 'confirm', paymentId: 'P-1' });
    await payAgain(other);
    await expectRefusal('PAYMENT_NOT_PAYABLE', async () => payments.service.confirm(caller, other, 'P-1', '123456'));
    expect(completed).to.have.length(1);
  });

  it('is never replaced after a member code without an answer, although a fetch reports that it waits', async () => {
    const id = await payWith({ type: 'confirm', paymentId: 'P-1' });
    const lost = Promise.reject(new Error('the connection was lost'));
    lost.catch(() => undefined);
    answered = lost;
    await payments.service.confirm(caller, id, 'P-1', '123456');
    expect((await load(id)).attempts[0]!.unknown).to.equal(true);
    // What a fetch that reports `waiting` stores.
    await changeAttempt(id, { unknown: false });
    await refusalOf(id);
  });

  it('is replaced again and again, but by no payer who saw another attempt', async () => {
    const id = await payWith();
    const [way] = (await payments.service.payPage(id, { linkKey: (await load(id)).linkKey }, async () => undefined))!
      .details!.ways;
    const byPayer = async (seen: number) => payments.service.pay(caller, id, cardInput(), { seen, way: way! });
    await expectRefusal('PAYMENT_NOT_PAYABLE', async () => byPayer(0));
    for (const seen of [1, 2, 3]) {
      payments.providers.first.answerWith({ outcome: 'pending', providerReference: `P-${seen}x`, action: challenge });
      await byPayer(seen);
    }
    expect((await load(id)).attempts.map(({ outcome }) => outcome)).to.deep.equal([
      'failed',
      'failed',
      'failed',
      'open',
    ]);
    payments.providers.first.answerWith(unknown('lost'));
    await byPayer(4);
    await expectRefusal('PAYMENT_NOT_PAYABLE', async () => byPayer(5));
  });
});
