/** Payments whose provider answers badly stay pending until an answer says what happened, and then get that status. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cardBody } from '../support/bodies.ts';
import { answerKinds } from './answer-kinds.ts';
import { adapters, amount, nameOf, type Call, type Plan } from './answers-provider.ts';
import { call, runConcurrently, type Answer } from './load.ts';
import type { World } from './row.ts';

interface Stored {
  readonly _id: number;
  readonly statusId: number;
  readonly attempts: readonly { readonly reference: string; readonly checks: number }[];
  readonly refunds: readonly { readonly state: string }[];
}

interface Paid {
  readonly plan: Plan;
  readonly answer: Answer;
  readonly id: number;
}

const [PENDING, PAID, FAILED, REFUNDED] = [1, 2, 3, 4];
/** Far longer than the time limit of a call plus a check. */
const PATIENCE_MS = 120_000;

const kindOf = ({ kind }: Plan) => answerKinds[kind]!;
/** A reset may arrive before the connection counts as open, or after. */
const wasNotSent = ({ plan, answer }: Pick<Paid, 'plan' | 'answer'>): boolean =>
  kindOf(plan).at === 'refused connection' ||
  (kindOf(plan).at === 'reset before the request' && answer.json.code === 'PAY005');

/** Every kind, with and without money that moves. `isLong` runs each combination once. */
function plansOf(what: Call, isLong: boolean): Plan[] {
  return answerKinds.flatMap(({ at }, kind) => {
    const cases = isLong ? [true, false] : [kind % 2 === 0];
    const happening = at === 'answer' || what === 'fetch' ? cases : [false];
    return happening.map((happens) => ({ call: what, kind, happens }));
  });
}

export async function checkBadAnswers({ service, answers: provider, receiver, isLong }: World): Promise<string[]> {
  const notifyUrl = receiver.url;
  const problems: string[] = [];
  const payments = service.connection.collection<Stored>('paymentRequests');
  const expect = (plan: Plan, what: string, actual: unknown, wanted: unknown): void => {
    if (JSON.stringify(actual) === JSON.stringify(wanted)) return;
    const money = plan.happens ? 'the money moved' : 'no money moved';
    problems.push(`${plan.call} answered by ${kindOf(plan).name}, ${money}: ${what} is ${JSON.stringify(actual)}`);
  };

  async function payAll(what: Call): Promise<Paid[]> {
    const paid: Paid[] = [];
    await runConcurrently(16, plansOf(what, isLong), async (plan) => {
      const body = cardBody('4111111111111111', amount, { name: nameOf(plan), notifyUrl });
      const path = `/payments/h2h/${adapters[kindOf(plan).at].code}`;
      let answer = await call(service, path, body);
      // A database that is too busy starts no payment.
      for (let tries = 1; !answer.id && tries < 10; tries += 1) answer = await call(service, path, body);
      if (!answer.id) throw new Error(`no payment was created: ${answer.status} ${JSON.stringify(answer.json)}`);
      paid.push({ plan, answer, id: answer.id });
    });
    return paid;
  }

  const load = async (paid: readonly Paid[]): Promise<Map<number, Stored>> => {
    const found = await payments.find({ _id: { $in: paid.map(({ id }) => id) } }).toArray();
    return new Map(found.map((record) => [record._id, record]));
  };

  /** Returns the payments when all satisfy the condition, or when the time is over. */
  async function waitForAll(paid: readonly Paid[], isSo: (record: Stored, one: Paid) => boolean, isHurried = false) {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const records = await load(paid);
      if (paid.every((one) => isSo(records.get(one.id)!, one)) || Date.now() > end) return records;
      // A refund is repeated after 5, 30 and 120 s. Here each poll makes it due.
      const isWaiting = { _id: { $in: [...records.keys()] }, nextCheckAt: { $type: 'date' }, 'lease.token': null };
      if (isHurried) await payments.updateMany(isWaiting, { $set: { nextCheckAt: new Date(0) } as never });
      await sleep(1000);
    }
  }

  // A submission without a readable answer is pending, and never sent again. A fetch finds the result.
  await provider.behave('badly');
  const submitted = await payAll('submit');
  for (const { plan, answer } of submitted) {
    const { status, json } = answer;
    const pending = [200, PENDING, 'OUTCOME_UNKNOWN'];
    if (wasNotSent({ plan, answer })) expect(plan, 'the answer', [status, json.code], [500, 'PAY005']);
    else
      expect(
        plan,
        'the answer',
        [status, json.paymentRequest?.paymentRequestStatusId, json.paymentRequest?.lastLog?.code],
        pending,
      );
  }
  await provider.behave('well');
  const endOf = ({ happens }: Plan): number => (happens ? PAID : FAILED);
  const settled = await waitForAll(submitted, ({ statusId }, { plan }) => statusId === endOf(plan));
  for (const { plan, id } of submitted) {
    const { statusId, attempts } = settled.get(id)!;
    expect(plan, 'the final status', statusId, endOf(plan));
    const sent = provider.charges.get(attempts[0]!.reference)?.requests ?? 0;
    expect(plan, 'the number of requests', sent, kindOf(plan).at === 'answer' ? 1 : 0);
  }

  // A fetch without a readable answer, or about another payment, changes nothing.
  const waiting = await payAll('fetch');
  await provider.behave('badly');
  const checksBefore = new Map([...(await load(waiting))].map(([id, { attempts }]) => [id, attempts[0]!.checks]));
  const fetched = await waitForAll(waiting, ({ _id, attempts }) => attempts[0]!.checks >= checksBefore.get(_id)! + 2);
  for (const { plan, id } of waiting) expect(plan, 'the status before', fetched.get(id)!.statusId, PENDING);
  await provider.behave('well');
  const ended = await waitForAll(waiting, ({ statusId }, { plan }) => statusId === endOf(plan));
  for (const { plan, id } of waiting) expect(plan, 'the final status', ended.get(id)!.statusId, endOf(plan));

  // A refund without a readable answer is repeated under its own reference until there is one, and refunds once.
  const charged = await payAll('refund');
  await provider.behave('badly');
  const asked: Paid[] = [];
  await runConcurrently(16, charged, async ({ plan, id }) => {
    const answer = await call(service, `/payment-requests/${id}/refund`);
    const { status, json } = answer;
    asked.push({ plan, id, answer });
    if (wasNotSent({ plan, answer })) expect(plan, 'the answer', [status, json.code], [500, 'PAY005']);
    else expect(plan, 'the answer', [status, json.paymentRequest?.paymentRequestStatusId], [200, PAID]);
  });
  await provider.behave('well');
  const isBack = (paid: Paid): boolean => !wasNotSent(paid);
  const givenBack = await waitForAll(
    asked,
    ({ statusId }, paid) => statusId === (isBack(paid) ? REFUNDED : PAID),
    true,
  );
  for (const paid of asked) {
    const { statusId, attempts } = givenBack.get(paid.id)!;
    expect(paid.plan, 'the final status', statusId, isBack(paid) ? REFUNDED : PAID);
    const times = [...provider.refunds.values()].filter((of) => of === attempts[0]!.reference).length;
    expect(paid.plan, 'the number of refunds', times, isBack(paid) ? 1 : 0);
  }
  return problems;
}
