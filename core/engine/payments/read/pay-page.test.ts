import { noInformation, type Action, type CompletionStep, type Outcome } from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { ReportedRefund } from '../../../database/collections/refund.ts';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { createReturnAddresses } from '../present/return-address.ts';
import { testEncrypter } from '../../../base/testing/test-encrypter.ts';
import type { PayPage } from '../types/pay-page.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

describe('payPage', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let completed: CompletionStep[];
  beforeEach(() => {
    completed = [];
    const complete = async (_: unknown, step: CompletionStep): Promise<Outcome> => {
      completed.push(step);
      return { outcome: 'pending' };
    };
    payments = suite.create({}, { first: { adapter: { complete } } });
    payments.providers.first.reportStatus(noInformation('not yet'));
  });

  const redirect: Action = { type: 'redirect', method: 'GET', url: 'https://bank.example/1' };
  async function createAwaitingPayer(action: Action): Promise<number> {
    payments.providers.first.answerWith({ outcome: 'pending', action });
    return (await payments.service.payH2h(caller, 41, order, cardInput())).id;
  }
  const attemptOf = async (id: number): Promise<Attempt> => (await payments.store.load(id))!.attempts[0]!;
  async function changeAttempts(id: number, members: Partial<Attempt>): Promise<void> {
    await payments.store.change(id, 'test', (record) => ({
      next: { ...record, attempts: record.attempts.map((one) => ({ ...one, ...members })) },
    }));
  }
  async function visitReturnAddress(id: number): Promise<number> {
    const address = createReturnAddresses(testEncrypter(), 'https://pay.example').of(id);
    const returnPart = new URL(address).searchParams.get('r')!;
    await payments.service.payPage(id, { returnPart }, async () => undefined);
    return (await attemptOf(id)).fetchesRequested;
  }
  async function reconcile(id: number): Promise<void> {
    await suite.makeDue(id);
    await payments.reconciler.reconcile((await payments.reconciler.claim([]))!);
  }

  it('requests a status fetch when the payer returns, even right after a check by a worker', async () => {
    const id = await createAwaitingPayer(redirect);
    await reconcile(id);
    expect((await attemptOf(id)).lastCheckedAt).not.to.equal(null);
    expect(await visitReturnAddress(id)).to.equal(1);
  });

  it('requests one fetch while the page reloads automatically, and another after a tenth of the elapsed time', async () => {
    const id = await createAwaitingPayer(redirect);
    expect([await visitReturnAddress(id), await visitReturnAddress(id)]).to.deep.equal([1, 1]);
    await reconcile(id);
    expect(await visitReturnAddress(id)).to.equal(1);
    const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
    await changeAttempts(id, { openedAt: minutesAgo(100), visitedAt: minutesAgo(4) });
    expect(await visitReturnAddress(id), 'five minutes at most').to.equal(1);
    await changeAttempts(id, { visitedAt: minutesAgo(6) });
    expect(await visitReturnAddress(id)).to.equal(2);
  });

  describe('payPage with the link key', () => {
    async function openLink(id: number): Promise<PayPage> {
      const { linkKey } = (await payments.store.load(id))!;
      return (await payments.service.payPage(id, { linkKey }, async () => undefined))!;
    }

    it('shows a receipt of a paid payment with its time, attempt and card', async () => {
      payments.providers.first.answerWith({ outcome: 'succeeded' });
      const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
      const { state, details } = await openLink(id);
      const { settledAt, reference } = await attemptOf(id);
      expect([state, details?.method, details?.coins]).to.deep.equal(['paid', 'card', null]);
      expect(details?.receipt).to.deep.include({ paidAt: settledAt, reference, refunded: null, refundedAt: null });
      expect(details?.receipt).to.include({ charged: '10.00', isPart: false });
      expect(details?.receipt).to.include({ cardBin: '411111', cardLastDigits: '1111' });
    });

    it('shows the part that was captured', async () => {
      payments.providers.first.answerWith({ outcome: 'succeeded' });
      const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
      await changeAttempts(id, { capturedTotal: '4' });
      expect((await openLink(id)).details?.receipt).to.include({ charged: '4.00', isPart: true });
    });

    it('shows when the refunds succeeded, and whether the provider sent all of the money', async () => {
      payments.providers.first.answerWith({ outcome: 'succeeded' });
      const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
      const [first, second] = [new Date('2026-11-27T11:15:00Z'), new Date('2026-11-28T11:15:00Z')];
      const reported = (subReference: string, reportedAt: Date, more: Partial<ReportedRefund> = {}): ReportedRefund => {
        return {
          attempt: 1,
          eventId: subReference,
          amount: '2',
          state: 'succeeded',
          subReference,
          reportedAt,
          ...more,
        };
      };
      const shownOf = async (...reportedRefunds: ReportedRefund[]): Promise<unknown[]> => {
        await payments.store.change(id, 'test', (record) => ({
          next: { ...record, refundedAmount: String(reportedRefunds.length * 2), reportedRefunds },
        }));
        const { refunded, refundedAt, refundedByProvider } = (await openLink(id)).details!.receipt!;
        return [refunded, refundedAt, refundedByProvider];
      };
      expect(await shownOf(reported('r1', first))).to.deep.equal(['2.00', first, true]);
      expect(await shownOf(reported('r1', first), reported('r2', second))).to.deep.equal(['4.00', second, true]);
      const byHand = reported('r2', second, { settledByHand: true });
      expect(await shownOf(reported('r1', first), byHand)).to.deep.equal(['4.00', second, false]);
    });

    it('is slow a minute after the submission or the return, and then changes its stamp', async () => {
      payments.providers.first.answerWith({ outcome: 'pending' });
      const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
      const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
      await changeAttempts(id, { endedAt: ago(30) });
      const { isSlow, stamp } = await openLink(id);
      expect(isSlow).to.equal(false);
      await changeAttempts(id, { endedAt: ago(70) });
      expect(await openLink(id)).to.deep.include({ isSlow: true });
      expect((await openLink(id)).stamp).not.to.equal(stamp);
      const step = { nonce: 'n', transactionId: null, doneAt: null, posted: null };
      await changeAttempts(id, { steps: [{ ...step, takenAt: ago(5) }] });
      expect((await openLink(id)).isSlow, 'the payer has just come back').to.equal(false);
      await changeAttempts(id, { steps: [], method: 'crypto' });
      expect((await openLink(id)).isSlow, 'coins').to.equal(false);
    });

    it('shows the received amount of coins, and the missing or excess amount', async () => {
      const id = await createAwaitingPayer(redirect);
      const shownCoins: unknown[] = [];
      for (const received of [null, '0', '4.5', '10', '12']) {
        await changeAttempts(id, { received });
        shownCoins.push((await openLink(id)).details?.coins);
      }
      expect(shownCoins).to.deep.equal([
        null,
        null,
        { received: '4.50', missing: '5.50', excess: null },
        { received: '10.00', missing: null, excess: null },
        { received: '12.00', missing: null, excess: '2.00' },
      ]);
    });

    it('changes its stamp when the shown state changes, and returns the same stamp for the return part', async () => {
      const id = await createAwaitingPayer(redirect);
      const { stamp, returnPart } = await openLink(id);
      expect((await payments.service.payPage(id, { returnPart }, async () => undefined))?.stamp).to.equal(stamp);
      await reconcile(id);
      expect((await openLink(id)).stamp, 'a check that found nothing').to.equal(stamp);
      await changeAttempts(id, { received: '4.5' });
      expect((await openLink(id)).stamp).to.not.equal(stamp);
    });
  });

  describe('with a redirect that completes at the return', () => {
    const wallet: Action = { ...redirect, completesOnReturn: true };
    const visitCancelAddress = async (id: number): Promise<void> => {
      const address = createReturnAddresses(testEncrypter(), 'https://pay.example').of(id);
      const returnPart = new URL(address).searchParams.get('r')!;
      await payments.service.payPage(id, { returnPart, isCancelled: true }, async () => undefined);
    };

    it('completes it once for a return, by GET and by POST, and shows no 3D Secure', async () => {
      for (const action of [wallet, { ...wallet, method: 'POST', fields: { a: '1' } } as const]) {
        completed = [];
        const id = await createAwaitingPayer(action);
        expect((await attemptOf(id)).steps).to.have.length(1);
        await Promise.all([visitReturnAddress(id), visitReturnAddress(id)]);
        await changeAttempts(id, { visitedAt: null });
        await visitReturnAddress(id);
        expect((await attemptOf(id)).steps[0]).to.include({ transactionId: null, doneAt: null });
        expect((await attemptOf(id)).steps[0]?.takenAt).not.to.equal(null);
        await reconcile(id);
        const { steps, threeDs, threeDsShown } = await attemptOf(id);
        expect([completed, steps.length, steps[0]?.doneAt !== null]).to.deep.equal([[{ kind: 'return' }], 1, true]);
        expect({ threeDs, threeDsShown }).to.deep.equal({ threeDs: false, threeDsShown: null });
        expect((await payments.service.get(caller, id)).threeDs).to.equal(false);
      }
    });

    it('completes nothing for a payer who gave up, for a wrong address or for a settled attempt', async () => {
      const id = await createAwaitingPayer(wallet);
      await visitCancelAddress(id);
      await reconcile(id);
      await payments.service.payPage(id, { returnPart: 'x'.repeat(16) }, async () => undefined);
      await changeAttempts(id, { visitedAt: null, outcome: 'failed' });
      await visitReturnAddress(id);
      expect([completed, (await attemptOf(id)).steps[0]?.takenAt]).to.deep.equal([[], null]);
      expect(payments.providers.first.fetched).to.have.length(1);
    });

    it('fails if the payer cancelled there: the page says so, and an API call names no decline of a bank', async () => {
      const complete = async (): Promise<Outcome> => ({ outcome: 'failed', cancelled: true });
      payments = suite.create({}, { first: { adapter: { complete } } });
      const id = await createAwaitingPayer(wallet);
      await visitReturnAddress(id);
      await reconcile(id);
      const { linkKey, statusId } = (await payments.store.load(id))!;
      const page = await payments.service.payPage(id, { linkKey }, async () => undefined);
      expect([statusId, page?.details?.failure]).to.deep.equal([3, { kind: 'cancelled' }]);
      const challenged = await createAwaitingPayer({ ...redirect, transactionId: 'tx-9' });
      const error = await expectRefusal('CARD_DECLINED', async () =>
        payments.service.resume(caller, challenged, 'tx-9'),
      );
      expect(error.message).to.equal('the payment was cancelled at the provider');
      expect(error.details).to.deep.equal({
        declineCode: '05',
        declineReason: 'the payment was cancelled at the provider',
      });
    });

    it('opens the step that only a fetch brings, because the answer to the submission was lost', async () => {
      payments.providers.first.answerWith({ outcome: 'unknown' });
      const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
      expect((await attemptOf(id)).steps).to.deep.equal([]);
      payments.providers.first.reportStatus({ result: 'waiting', action: wallet });
      await reconcile(id);
      expect((await attemptOf(id)).steps).to.have.length(1);
      await changeAttempts(id, { visitedAt: null });
      await visitReturnAddress(id);
      await reconcile(id);
      expect([completed, (await attemptOf(id)).threeDs]).to.deep.equal([[{ kind: 'return' }], false]);
    });
  });

  it('completes a step with a transaction id, and only fetches the status for a return without one', async () => {
    for (const [action, steps] of [
      [redirect, 0],
      [{ ...redirect, transactionId: 'tx-1' }, 1],
    ] as const) {
      completed = [];
      const id = await createAwaitingPayer(action);
      await visitReturnAddress(id);
      await reconcile(id);
      expect([completed.length, (await attemptOf(id)).steps.length]).to.deep.equal([steps, steps]);
    }
    expect(completed).to.deep.equal([{ kind: 'return' }]);
  });
});
