import { noInformation, type Action, type CompletionStep, type Outcome } from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { Attempt } from '../../../database/collections/attempt.ts';
import { createReturnAddresses } from '../present/return-address.ts';
import { testEncrypter } from '../../../base/testing/test-encrypter.ts';
import type { PayPage } from '../types/pay-page.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

describe('a payer who comes back', () => {
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
  async function sentAway(action: Action): Promise<number> {
    payments.providers.first.answerWith({ outcome: 'pending', action });
    return (await payments.service.payH2h(caller, 41, order, cardInput())).id;
  }
  const attemptOf = async (id: number): Promise<Attempt> => (await payments.store.load(id))!.attempts[0]!;
  async function change(id: number, members: Partial<Attempt>): Promise<void> {
    await payments.store.change(id, 'test', (record) => ({
      next: { ...record, attempts: record.attempts.map((one) => ({ ...one, ...members })) },
    }));
  }
  async function visit(id: number): Promise<number> {
    const address = createReturnAddresses(testEncrypter(), 'https://pay.example').of(id);
    const returnPart = new URL(address).searchParams.get('r')!;
    await payments.service.payPage(id, { returnPart }, async () => undefined);
    return (await attemptOf(id)).fetchesRequested;
  }
  async function reconcile(id: number): Promise<void> {
    await suite.makeDue(id);
    await payments.reconciler.reconcile((await payments.reconciler.claim([]))!);
  }

  it('is looked after at once, also right after a check of a worker', async () => {
    const id = await sentAway(redirect);
    await reconcile(id);
    expect((await attemptOf(id)).lastCheckedAt).not.to.equal(null);
    expect(await visit(id)).to.equal(1);
  });

  it('asks once while the page reloads by itself, and again once a tenth of the time has passed', async () => {
    const id = await sentAway(redirect);
    expect([await visit(id), await visit(id)]).to.deep.equal([1, 1]);
    await reconcile(id);
    expect(await visit(id)).to.equal(1);
    const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
    await change(id, { openedAt: minutesAgo(100), visitedAt: minutesAgo(4) });
    expect(await visit(id), 'five minutes at most').to.equal(1);
    await change(id, { visitedAt: minutesAgo(6) });
    expect(await visit(id)).to.equal(2);
  });

  describe('with the link', () => {
    async function open(id: number): Promise<PayPage> {
      const { linkKey } = (await payments.store.load(id))!;
      return (await payments.service.payPage(id, { linkKey }, async () => undefined))!;
    }

    it('gets a receipt once it is paid: when, by which attempt, with which card', async () => {
      payments.providers.first.answerWith({ outcome: 'succeeded' });
      const { id } = await payments.service.payH2h(caller, 41, order, cardInput());
      const { state, details } = await open(id);
      const { settledAt, reference } = await attemptOf(id);
      expect([state, details?.method, details?.coins]).to.deep.equal(['paid', 'card', null]);
      expect(details?.receipt).to.deep.include({ paidAt: settledAt, reference, refunded: null });
      expect(details?.receipt).to.include({ cardBin: '411111', cardLastDigits: '1111' });
    });

    it('sees what came in of coins, and what is missing or too much', async () => {
      const id = await sentAway(redirect);
      const seen: unknown[] = [];
      for (const received of [null, '0', '4.5', '10', '12']) {
        await change(id, { received });
        seen.push((await open(id)).details?.coins);
      }
      expect(seen).to.deep.equal([
        null,
        null,
        { received: '4.50', missing: '5.50', excess: null },
        { received: '10.00', missing: null, excess: null },
        { received: '12.00', missing: null, excess: '2.00' },
      ]);
    });

    it('has another stamp when something else is shown, and the same one by the part of return addresses', async () => {
      const id = await sentAway(redirect);
      const { stamp, returnPart } = await open(id);
      expect((await payments.service.payPage(id, { returnPart }, async () => undefined))?.stamp).to.equal(stamp);
      await reconcile(id);
      expect((await open(id)).stamp, 'a check that found nothing').to.equal(stamp);
      await change(id, { received: '4.5' });
      expect((await open(id)).stamp).to.not.equal(stamp);
    });
  });

  it('completes a step that a transaction id names; a way back without one is a fetch alone', async () => {
    for (const [action, steps] of [
      [redirect, 0],
      [{ ...redirect, transactionId: 'tx-1' }, 1],
    ] as const) {
      completed = [];
      const id = await sentAway(action);
      await visit(id);
      await reconcile(id);
      expect([completed.length, (await attemptOf(id)).steps.length]).to.deep.equal([steps, steps]);
    }
    expect(completed).to.deep.equal([{ kind: 'return' }]);
  });
});
