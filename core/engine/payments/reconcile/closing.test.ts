import {
  nothingCharged,
  statusTable,
  unknown,
  type Action,
  type Outcome,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import { noLease } from '../../../database/lease.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { HOUR, MINUTE, SECOND } from '../../../base/async/time.ts';
import { until } from '../../../base/testing/until.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

const page: Action = { type: 'redirect', method: 'GET', url: 'https://bank.example/1', transactionId: 'tx-1' };
const mapStatus = statusTable({ payment: { open: 'pending', paid: 'succeeded', ended: 'cancelled' } });
const closedOrder: Outcome = { outcome: 'succeeded' };

describe('closing an unpaid order', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let now: Date;
  /** The payments whose order the provider was asked to close. */
  let asked: StoredPayment[];
  let completed: number;
  let answers: (Outcome | (() => Promise<Outcome>))[];
  let state: 'on' | 'draining' | 'off';

  function start(): void {
    [asked, completed, answers] = [[], 0, []];
    const ways = [
      { method: 'card', title: 'Card', threeDs: 'enforced', payerFields: [], unfinishedStep: 'close' },
    ] as const;
    const adapter = {
      mapStatus,
      complete: async () => {
        completed += 1;
        return { outcome: 'succeeded', providerReference: 'P-1' } as const;
      },
      close: async (payment: StoredPayment) => {
        asked.push(payment);
        const answer = answers.shift() ?? unknown('no answer');
        return typeof answer === 'function' ? answer() : answer;
      },
    };
    payments = suite.create({}, { first: { manifest: { ways }, adapter, state } }, () => now);
  }
  beforeEach(() => {
    now = new Date();
    state = 'on';
    start();
  });

  const load = async (id: number): Promise<PaymentRecord> => (await payments.store.load(id))!;
  const first = async (id: number): Promise<Attempt> => attemptOf(await load(id), 1)!;
  async function payWith(members: Partial<typeof order> = {}): Promise<number> {
    payments.providers.first.answerWith({ outcome: 'pending', providerReference: 'P-1', action: page });
    return (await payments.service.payH2h(caller, 41, { ...order, ...members }, cardInput())).id;
  }
  async function payAgain(id: number): Promise<PaymentRecord> {
    payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-2' });
    await payments.service.pay(caller, id, cardInput());
    return load(id);
  }
  const cancel = async (id: number) => payments.service.cancel(caller, id);
  const refused = async (work: () => Promise<unknown>) => expectRefusal('PAYMENT_NOT_PAYABLE', work);
  async function change(id: number, members: Partial<PaymentRecord>, attempt: Partial<Attempt> = {}): Promise<void> {
    await payments.store.change(id, 'test', (record) => ({
      next: { ...record, ...members, attempts: record.attempts.map((one) => ({ ...one, ...attempt })) },
    }));
  }
  /** A worker checks the payment as it does when its check is due. */
  async function check(id: number): Promise<PaymentRecord> {
    await suite.makeDue(id);
    const claimed = await payments.reconciler.claim([]);
    expect(claimed?._id).to.equal(id);
    await payments.reconciler.reconcile(claimed!);
    return load(id);
  }
  const eventOf = (id: number, providerStatus: string) =>
    ({
      kind: 'payment',
      providerStatus,
      reference: `GW-${id}-1`,
      providerReference: 'P-1',
      amount: '10',
      currency: 'EUR',
      dedupeKey: `P-1:${providerStatus}`,
    }) as const;
  const reportOf = (id: number, providerStatus: string): StatusReport => {
    return { result: 'events', events: [eventOf(id, providerStatus)] };
  };
  /** A callback of the provider, applied as the drain applies it. */
  async function call(id: number, providerStatus: 'paid' | 'ended'): Promise<void> {
    const status = providerStatus === 'paid' ? 'succeeded' : 'cancelled';
    const event = { ...eventOf(id, providerStatus), status } as const;
    const fact = { type: 'event', attempt: 1, event, at: now, fetched: false } as const;
    await payments.store.change(id, 'callback', (record) => applyFacts(record, [fact], payments.feeOf));
  }
  const messages = ({ logs }: PaymentRecord): readonly string[] => logs.map(({ message }) => message);
  const withHook = { notifyUrl: 'https://shop.example/hook' };

  describe('for a cancellation', () => {
    it('cancels the payment once the provider confirms, and says so in the log', async () => {
      const id = await payWith();
      answers = [closedOrder];
      await cancel(id);
      const record = await load(id);
      expect(record).to.deep.include({ statusId: 5, lease: noLease });
      expect(record.attempts[0]).to.deep.include({ outcome: 'failed', decline: null, nothingCharged: false });
      expect(record.attempts[0]!.close).to.include({ state: 'closed', purpose: 'cancel' });
      expect(messages(record).at(-1)).to.equal('cancelled by the merchant; the order was closed at the provider');
      expect(asked.map(({ reference, providerReference }) => [reference, providerReference])).to.deep.equal([
        [`GW-${id}-1`, 'P-1'],
      ]);
    });

    const open: readonly (readonly [string, Outcome | (() => Promise<Outcome>), RegExp])[] = [
      ['is refused', nothingCharged('the order is paid'), /did not close the open order \(the order is paid\)/],
      ['is only accepted', { outcome: 'pending' }, /has not decided yet/],
      ['cannot be read', unknown('an HTML page'), /an HTML page\): wait for its result, or repeat/],
      ['throws', async () => Promise.reject(new Error('a bug')), /repeat the request later/],
    ];
    for (const [what, answer, text] of open) {
      it(`is PAY004 if the close ${what}, and the provider is then asked for the status`, async () => {
        const id = await payWith(withHook);
        answers = [answer];
        const before = await load(id);
        expect((await refused(async () => cancel(id))).message).to.match(text);
        const record = await load(id);
        expect(record).to.deep.include({ statusId: 1, lease: noLease, operations: [] });
        expect(record.attempts[0]).to.include({ outcome: 'open', fetchesRequested: 1 });
        expect(record.attempts[0]!.close?.state).to.equal('not_closed');
        // No notification was made: the outbox may have been relayed since.
        expect(record.sequence).to.equal(before.sequence);
        payments.providers.first.reportStatus(reportOf(id, 'paid'));
        expect(await check(id)).to.include({ statusId: 2, paidAmount: '10' });
      });
    }

    it('can be repeated after an answer that could not be read', async () => {
      const id = await payWith();
      answers = [unknown('lost'), closedOrder];
      await refused(async () => cancel(id));
      await cancel(id);
      expect((await load(id)).statusId).to.equal(5);
      expect(asked).to.have.length(2);
    });

    it('is carried out by one of two requests at the same time, and the provider is asked once', async () => {
      const id = await payWith();
      answers = [closedOrder];
      const both = await Promise.allSettled([cancel(id), cancel(id)]);
      expect(both.map((one) => one.status).toSorted()).to.deep.equal(['fulfilled', 'rejected']);
      expect([(await load(id)).statusId, asked.length]).to.deep.equal([5, 1]);
    });

    it('is refused while another request closes the order, and so is another attempt', async () => {
      const id = await payWith();
      let answer = (): void => undefined;
      const gate = new Promise<void>((resolve) => (answer = resolve));
      answers = [async () => gate.then(() => closedOrder)];
      const cancelling = cancel(id);
      await until('the provider is asked', () => asked.length === 1);
      expect((await refused(async () => payAgain(id))).message).to.match(/is being closed at the provider/);
      expect((await refused(async () => cancel(id))).message).to.match(/is being closed at the provider/);
      answer();
      await cancelling;
      expect((await load(id)).attempts.map(({ outcome }) => outcome)).to.deep.equal(['failed']);
    });

    it('announces only the cancellation if the provider reports the end of the order first', async () => {
      const id = await payWith(withHook);
      answers = [
        async () => {
          await call(id, 'ended');
          return closedOrder;
        },
      ];
      await cancel(id);
      await call(id, 'ended');
      const record = await load(id);
      expect([record.statusId, record.attempts[0]!.outcome]).to.deep.equal([5, 'failed']);
      // `payment.pending`, then `payment.expired`.
      expect(record.sequence).to.equal(2);
      expect(record.transitions.map(({ to }) => to)).to.deep.equal([1, 5]);
    });

    it('is PAY004 if the payer paid in time, whatever the answer to the close is', async () => {
      for (const answer of [closedOrder, nothingCharged('paid')]) {
        const id = await payWith();
        answers = [
          async () => {
            await call(id, 'paid');
            return answer;
          },
        ];
        await refused(async () => cancel(id));
        const record = await load(id);
        expect(record).to.deep.include({ statusId: 2, cancelledAt: null, lease: noLease });
      }
    });

    it('is PAY004 if the payer came back while the order was closed: the step is completed', async () => {
      const id = await payWith();
      answers = [
        async () => {
          const { steps } = await first(id);
          await change(id, {}, { steps: steps.map((step) => ({ ...step, takenAt: now })) });
          return closedOrder;
        },
        closedOrder,
      ];
      await refused(async () => cancel(id));
      const open = await load(id);
      // A worker checks the payment immediately.
      expect(open.lease).to.deep.equal(noLease);
      expect(open.nextCheckAt!.getTime()).to.be.at.most(now.getTime());
      const record = await check(id);
      expect(completed).to.equal(1);
      expect(record.statusId).to.equal(2);
    });

    it('is finished by a worker if the process died after the request was sent', async () => {
      const id = await payWith(withHook);
      let answer = (): void => undefined;
      const gate = new Promise<void>((resolve) => (answer = resolve));
      answers = [async () => gate.then(() => unknown('the process is gone')), closedOrder];
      const dying = cancel(id).catch(() => undefined);
      await until('the provider is asked', () => asked.length === 1);
      // Its lease has expired: the process does not come back.
      const record = await check(id);
      expect([record.statusId, record.attempts[0]!.close?.state]).to.deep.equal([5, 'closed']);
      expect(asked).to.have.length(2);
      answer();
      await dying;
      expect((await load(id)).statusId).to.equal(5);
      // Late money still counts.
      await call(id, 'paid');
      expect(await load(id)).to.include({ statusId: 2, paidAmount: '10' });
    });

    it('is answered as cancelled if a worker was faster, whatever the late answer is', async () => {
      for (const late of [closedOrder, unknown('lost')]) {
        const id = await payWith();
        let answer = (): void => undefined;
        const gate = new Promise<void>((resolve) => (answer = resolve));
        const before = asked.length;
        answers = [async () => gate.then(() => late), closedOrder];
        const operation = { id: `op-${id}`, bindPayment: async () => undefined } as unknown as typeof caller.operation;
        const slow = payments.service.cancel({ ...caller, operation: operation! }, id);
        await until('the provider is asked', () => asked.length === before + 1);
        expect((await check(id)).statusId).to.equal(5);
        answer();
        await slow;
        expect(await load(id)).to.deep.include({ statusId: 5, operations: [`op-${id}`], lease: noLease });
      }
    });

    it('is not taken for carried out if a worker repeated the request and the provider refused it', async () => {
      const id = await payWith();
      const operation = { id: 'op-1', bindPayment: async () => undefined } as unknown as typeof caller.operation;
      let answer = (): void => undefined;
      const gate = new Promise<void>((resolve) => (answer = resolve));
      answers = [async () => gate.then(() => unknown('the process is gone')), nothingCharged('it is being paid')];
      const dying = payments.service.cancel({ ...caller, operation: operation! }, id).catch(() => undefined);
      await until('the provider is asked', () => asked.length === 1);
      // Nothing is cancelled yet: a repetition is not answered as done, and not as refused either.
      expect((await load(id)).operations).to.deep.equal([]);
      await expectRefusal('IDEMPOTENCY_CONFLICT', async () =>
        payments.service.cancel({ ...caller, operation: operation! }, id),
      );
      expect(await check(id)).to.deep.include({ statusId: 1, operations: [] });
      answer();
      await dying;
      expect((await load(id)).operations).to.deep.equal([]);
    });

    it('works with an adapter that is draining', async () => {
      const id = await payWith();
      state = 'draining';
      start();
      answers = [closedOrder];
      await cancel(id);
      expect((await load(id)).statusId).to.equal(5);
    });

    it('is not sent for a step that was taken, or whose outcome is unknown', async () => {
      const id = await payWith();
      const { steps } = await first(id);
      await change(id, {}, { steps: steps.map((step) => ({ ...step, takenAt: now })) });
      await refused(async () => cancel(id));
      await change(id, {}, { steps, unknown: true });
      await refused(async () => cancel(id));
      expect(asked).to.deep.equal([]);
    });

    it('remembers the operation only if it was carried out', async () => {
      const id = await payWith();
      const operation = { id: 'op-1', bindPayment: async () => undefined } as unknown as typeof caller.operation;
      const keyed = { ...caller, operation: operation! };
      answers = [unknown('lost'), closedOrder];
      await refused(async () => payments.service.cancel(keyed, id));
      expect((await load(id)).operations).to.deep.equal([]);
      await payments.service.cancel(keyed, id);
      expect((await load(id)).operations).to.deep.equal(['op-1']);
    });
  });

  describe('for another attempt', () => {
    it('is asked for immediately, without a time limit, and both changes are one write', async () => {
      const id = await payWith(withHook);
      answers = [closedOrder];
      const record = await payAgain(id);
      expect(record).to.deep.include({ statusId: 2, paidAmount: '10', lease: noLease });
      expect(record.attempts.map(({ outcome, decline }) => [outcome, decline])).to.deep.equal([
        ['failed', null],
        ['succeeded', null],
      ]);
      expect(messages(record)).to.include(
        'the payer left the step; the order was closed at the provider; another attempt replaces it',
      );
      expect(record.transitions.map(({ to }) => to)).to.deep.equal([1, 2]);
      expect(record.sequence).to.equal(2);
    });

    it('is not followed by another attempt if the provider refuses', async () => {
      const id = await payWith();
      answers = [nothingCharged('it is being paid')];
      expect((await refused(async () => payAgain(id))).message).to.include('it is being paid');
      expect((await load(id)).attempts.map(({ outcome }) => outcome)).to.deep.equal(['open']);
    });

    it('is asked for at most nine times in an hour for the payer, if the provider refuses', async () => {
      const id = await payWith();
      const page = { seen: 1, way: { method: 'card', adapter: null, coin: null } } as const;
      const payOnPage = async () => payments.service.pay(caller, id, cardInput(), page);
      for (let n = 0; n < 9; n += 1) {
        answers = [nothingCharged('it is being paid')];
        await refused(payOnPage);
      }
      await expectRefusal('RATE_LIMIT_EXCEEDED', payOnPage);
      expect(asked).to.have.length(9);
      now = new Date(now.getTime() + HOUR);
      answers = [closedOrder];
      payments.providers.first.answerWith({ outcome: 'succeeded', providerReference: 'P-2' });
      await payOnPage();
      expect((await load(id)).statusId).to.equal(2);
    });

    it('leaves a failed payment if the process dies before the other attempt', async () => {
      const id = await payWith(withHook);
      answers = [closedOrder, closedOrder];
      // As a process leaves it that dies after the provider closed the order.
      const close = { purpose: 'replace', state: 'requested', requestedAt: now, tries: 1, expiryTries: 0 } as const;
      await change(id, {}, { close });
      const record = await check(id);
      expect([record.statusId, record.attempts[0]!.close?.state]).to.deep.equal([3, 'closed']);
      expect((await payAgain(id)).statusId).to.equal(2);
    });

    it('is one of two attempts at the same time', async () => {
      const id = await payWith();
      answers = [closedOrder];
      payments.providers.first.answerWith(
        { outcome: 'succeeded', providerReference: 'P-2' },
        { outcome: 'succeeded', providerReference: 'P-3' },
      );
      const both = await Promise.allSettled([1, 2].map(async () => payments.service.pay(caller, id, cardInput())));
      expect(both.map((one) => one.status).toSorted()).to.deep.equal(['fulfilled', 'rejected']);
      expect((await load(id)).attempts.map(({ outcome }) => outcome)).to.deep.equal(['failed', 'succeeded']);
    });

    it('counts a late success of the closed order as a double charge', async () => {
      const id = await payWith();
      answers = [closedOrder];
      await payAgain(id);
      await call(id, 'paid');
      expect((await load(id)).logs.map(({ code }) => code)).to.include('DOUBLE_CHARGE');
    });
  });

  describe('at the expiry of the payment', () => {
    const expire = async (members: Partial<typeof order> = {}): Promise<number> => {
      const id = await payWith(members);
      await change(id, { expiresAt: new Date(now.getTime() + 30 * MINUTE) }, { lastCheckedAt: now });
      return id;
    };

    it('is due at that time, and not earlier', async () => {
      const id = await expire();
      const { expiresAt, nextCheckAt } = await load(id);
      expect(nextCheckAt!.getTime()).to.be.at.most(expiresAt!.getTime());
      await check(id);
      expect(asked).to.deep.equal([]);
      now = expiresAt!;
      answers = [closedOrder];
      const record = await check(id);
      expect([record.statusId, record.attempts[0]!.outcome]).to.deep.equal([5, 'expired']);
      expect(messages(record).at(-1)).to.equal('not paid in time; the order was closed at the provider');
    });

    it('expires the payment with one notification, whatever the provider reports about the order later', async () => {
      const id = await expire(withHook);
      now = (await load(id)).expiresAt!;
      answers = [closedOrder];
      await check(id);
      await call(id, 'ended');
      const record = await load(id);
      expect(record).to.include({ statusId: 5, sequence: 2 });
      await call(id, 'paid');
      expect(await load(id)).to.include({ statusId: 2, paidAmount: '10' });
      expect((await first(id)).late).to.equal(true);
    });

    it('keeps the payment open if the order is not closed, and the fetch decides', async () => {
      const id = await expire();
      now = (await load(id)).expiresAt!;
      answers = [nothingCharged('paid')];
      payments.providers.first.reportStatus(reportOf(id, 'paid'));
      expect(await check(id)).to.include({ statusId: 2, paidAmount: '10' });
      expect((await first(id)).late).to.equal(false);
    });

    it('is tried seven times within a day and a half, and then the payment expires without a confirmation', async () => {
      const id = await expire();
      const { expiresAt } = await load(id);
      now = expiresAt!;
      payments.providers.first.reportStatus({ result: 'waiting' });
      const tries: number[] = [];
      while ((await load(id)).statusId === 1 && tries.length < 20) {
        answers = [unknown('no answer')];
        const before = asked.length;
        await check(id);
        if (asked.length > before) tries.push(Math.round((now.getTime() - expiresAt!.getTime()) / SECOND));
        const { nextCheckAt } = await load(id);
        if (nextCheckAt) now = new Date(Math.max(now.getTime() + SECOND, nextCheckAt.getTime()));
      }
      expect(tries).to.have.length(7);
      expect(tries.at(-1)! * SECOND).to.be.below(36 * HOUR);
      const record = await load(id);
      expect([record.statusId, record.attempts[0]!.outcome]).to.deep.equal([5, 'expired']);
      expect(messages(record).at(-1)).to.equal(
        'not paid in time; the provider did not confirm that the order is closed',
      );
      await call(id, 'paid');
      expect((await load(id)).statusId).to.equal(2);
    });

    it('ends with an expired payment if the process died after the last try, also if no other check is left', async () => {
      const id = await expire();
      now = new Date((await load(id)).expiresAt!.getTime() + 26 * HOUR);
      const close = { purpose: 'expire', state: 'not_closed', requestedAt: now, tries: 7, expiryTries: 7 } as const;
      await change(id, {}, { close, needsReview: true });
      expect((await load(id)).nextCheckAt!.getTime()).to.be.at.most(now.getTime());
      const record = await check(id);
      expect([record.statusId, record.attempts[0]!.outcome, asked.length]).to.deep.equal([5, 'expired', 0]);
    });

    it('is not tried while a step is in progress, or after coins arrived', async () => {
      const id = await expire();
      now = (await load(id)).expiresAt!;
      await change(id, {}, { received: '1' });
      await check(id);
      expect(asked).to.deep.equal([]);
      expect((await load(id)).statusId).to.equal(1);
    });

    it('is repeated by the next worker if the first one died', async () => {
      const id = await expire();
      now = (await load(id)).expiresAt!;
      const close = { purpose: 'expire', state: 'requested', requestedAt: now, tries: 1, expiryTries: 1 } as const;
      await change(id, {}, { close });
      answers = [closedOrder];
      expect((await check(id)).statusId).to.equal(5);
    });
  });
});
