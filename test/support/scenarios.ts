/** Runs payments from the merchant's first call to the end, from a table of scenarios. */
import { triggerPath, type TriggerBody } from '@paywright/contract/sandbox';
import { expect } from 'chai';
import { it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { type Answer, type TestGateway } from './start-gateway.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
export type View = any;

export interface Scenario {
  readonly title: string;
  readonly path: string;
  /** Text is sent unchanged; anything else as JSON. */
  readonly body: unknown;
  /** The first response. Default: 200. */
  readonly answers?: { readonly status: number; readonly code?: string; readonly details?: object };
  /** Steps before the end: actions of the payer, calls of the merchant. */
  readonly acts?: (payment: TestPayment) => Promise<unknown>;
  /** Final `paymentRequestStatusId`; null if no payment request was created. */
  readonly ends: number | null;
  /** Members of the final payment request. */
  readonly with?: Readonly<Record<string, unknown>>;
  readonly check?: Check;
}

/** Checks the final payment request. */
export type Check = (payment: TestPayment, view: View) => unknown;

export interface TestPayment {
  readonly gateway: TestGateway;
  readonly id: number;
  readonly answer: Answer;
  readonly action: View;
  readonly view: () => Promise<View>;
  /** Waits until the payment request has this status. */
  readonly waitForStatus: (status: number) => Promise<View>;
}

export function describeScenarios(start: () => TestGateway, scenarios: readonly Scenario[]): void {
  for (const { title, path, body, answers = { status: 200 }, acts, ends, with: members, check } of scenarios) {
    it(title, async () => {
      const gateway = start();
      const answer = await gateway.post(path, body);
      expect(answer.status, answer.text).to.equal(answers.status);
      if (answers.code) expect(answer.json.code, answer.text).to.equal(answers.code);
      if (answers.details) expect(answer.json.details).to.deep.include(answers.details);
      const payment = toTestPayment(gateway, answer);
      if (ends === null) return;
      await acts?.(payment);
      const view = await payment.waitForStatus(ends);
      if (members) expect(view).to.deep.include(members);
      await check?.(payment, view);
    });
  }
}

export function toTestPayment(gateway: TestGateway, answer: Answer): TestPayment {
  const id = Number(answer.headers.get('x-payment-request-id'));
  const view = async (): Promise<View> => (await gateway.get(`/payment-requests/${id}`)).json;
  return {
    gateway,
    id,
    answer,
    action: answer.json?.action,
    view,
    waitForStatus: async (status) => {
      // Reads the database instead of the API, because polling would exceed the key's rate limit.
      const payments = gateway.gateway.connection.collection<{ _id: number; statusId: number }>('paymentRequests');
      const hasStatus = async () =>
        (await payments.findOne({ _id: id }, { projection: { statusId: 1 } }))?.statusId === status;
      try {
        await until(`status ${status}`, hasStatus);
      } catch (error) {
        const { paymentRequestStatusId, logs } = await view();
        const lines = gateway.logged
          .filter((line) => line.includes(String(id)) || line.includes('"level":50'))
          .slice(-30);
        const state = `it has ${paymentRequestStatusId}: ${JSON.stringify(logs)}\n${lines.join('')}`;
        throw new Error(state, { cause: error });
      }
      return view();
    },
  };
}

/** Waits until the payment request is charged back, or no longer is. */
export async function waitForChargeback({ gateway, id }: TestPayment, chargedBack = true): Promise<void> {
  const payments = gateway.gateway.connection.collection<{ _id: number; chargedBack: boolean }>('paymentRequests');
  await until(
    chargedBack ? 'charged back' : 'no longer charged back',
    async () => (await payments.findOne({ _id: id }))?.chargedBack === chargedBack,
  );
}

/** Makes the payment's next check due, and carries it out. */
export async function makeDue(payment: TestPayment): Promise<void> {
  await setDue(payment);
  await payment.gateway.work();
}

/**
 * Makes the payment's next check due, together with further stored members. A check in progress would plan the next one
 * again, so this waits for its end and fences late writes.
 */
export async function setDue({ gateway, id }: TestPayment, members: Readonly<Record<string, unknown>> = {}) {
  const payments = gateway.gateway.connection.collection('paymentRequests');
  await until('no worker holds the payment', async () => {
    const isFree = { _id: id as never, 'lease.token': null };
    const due = { $set: { ...members, nextCheckAt: new Date(0) }, $inc: { version: 1 } };
    return (await payments.updateOne(isFree, due)).modifiedCount === 1;
  });
}

/** Makes the adapter's sandbox send an event about the payment's first attempt. `before` runs right before it. */
export async function trigger(
  { gateway, id }: TestPayment,
  adapter: string,
  event: string,
  before: () => Promise<unknown> = async () => undefined,
  amount = '25.9',
): Promise<void> {
  const { attempts } = (await gateway.gateway.connection
    .collection<{ _id: number; attempts: Pick<TriggerBody, 'reference' | 'providerReference'>[] }>('paymentRequests')
    .findOne({ _id: id }))!;
  const { reference, providerReference } = attempts[0]!;
  const money = { amount, currency: 'EUR' };
  const body: TriggerBody = { event, reference, providerReference, money, times: 1, forge: false };
  await before();
  const sent = await fetch(gateway.sandboxes[adapter] + triggerPath, { method: 'POST', body: JSON.stringify(body) });
  expect(sent.status, await sent.text()).to.equal(200);
}

/** The merchant refunds each amount. `undefined` refunds the rest. */
export function refunds(...amounts: readonly (number | undefined)[]): (payment: TestPayment) => Promise<void> {
  return async ({ gateway, id, waitForStatus }) => {
    await waitForStatus(2);
    for (const amount of amounts) {
      const answer = await gateway.post(
        `/payment-requests/${id}/refund`,
        amount === undefined ? undefined : { amount },
      );
      expect(answer.status, answer.text).to.equal(200);
    }
  };
}
