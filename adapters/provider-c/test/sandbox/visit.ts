/** The adapter behind real HTTP against its own sandbox, and the payer's browser between them. */
import {
  formType,
  type Action,
  type CompletionStep,
  type Outcome,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import { sendRequest, type CallbackReply } from '@paywright/contract/sandbox';
import { firstRefund, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import providerC from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness, encoded, type Fields } from '../messages.ts';

const { options, submission } = harness;

let count = 0;

/** A new payment, by card or (`null`) without one. */
export function payment(
  number: string | null = '4111111111111111',
  amount = '25.9',
  { name, currency = 'EUR', ...more }: Partial<Submission<'card'>> & { name?: string; currency?: string } = {},
): Submission<'card'> {
  count += 1;
  const { card, payer, ...rest } = submission;
  return {
    ...rest,
    paymentRequestId: String(count),
    reference: `GW-${count}-1`,
    money: { amount, currency },
    unit: currency,
    sandbox: true,
    payer: { ...payer, name: name ?? payer.name },
    ...(number === null ? {} : { card: { ...card, number } }),
    ...more,
  } as Submission<'card'>;
}

export interface Back {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Visit {
  readonly trip: RoundTrip<Options>;
  submit(payment: Submission<'card'>): Promise<Outcome>;
  /** States of acknowledged server forms. */
  posted(): string[];
  /** Waits until exactly these statuses were posted, in any order: two connections may overtake each other. */
  hears(...statuses: readonly string[]): Promise<void>;
  complete(payment: StoredPayment, step: CompletionStep): Promise<Outcome>;
  refund(payment: StoredPayment, number: number, amount: string): Promise<Outcome>;
}

export async function startVisit(delayMs = 8): Promise<Visit> {
  const trip = await startRoundTrip({ adapter: providerC, createSandbox, options, delayMs });
  const provider = { ...trip.provider, threeDsToken: 'dG9rZW4' };
  const posted = (): string[] => trip.deliveries.filter(({ acknowledged }) => acknowledged).map(({ name }) => name);
  return {
    trip,
    submit: (given) => providerC.submit(given, provider),
    posted,
    async hears(...statuses) {
      await trip.until(() => posted().length >= statuses.length);
      expect(posted().sort()).to.deep.equal([...statuses].sort());
    },
    complete: (stored, step) => providerC.complete!(stored, step, provider),
    refund(stored, number, amount) {
      const money = { amount, currency: stored.money.currency };
      return providerC.refund!(
        stored,
        { reference: `${stored.reference}-R${number}`, money, ...firstRefund },
        provider,
      );
    },
  };
}

/** A browser posts a form. */
export function browse(url: string, fields: Fields, accept = 'text/html'): Promise<CallbackReply> {
  const headers = { 'Content-Type': formType, Accept: accept };
  return sendRequest({ method: 'POST', url, headers, body: encoded(fields) }, 2000);
}

export const look = (url: string): Promise<CallbackReply> => sendRequest({ method: 'GET', url }, 2000);

export function locationOf({ status, headers }: CallbackReply): string {
  expect(status).to.equal(303);
  return Object.fromEntries(headers)['Location'] ?? '';
}

export const textOf = ({ body }: CallbackReply): string => Buffer.from(body).toString();

/** The form with which a page sends the browser back. */
export function backOf(reply: CallbackReply): Back {
  expect(reply.status, textOf(reply)).to.equal(200);
  const { method, action, fields } = JSON.parse(textOf(reply)) as Back & { readonly method: string };
  expect(method).to.equal('POST');
  return { action, fields };
}

/** Presses a button of a page. Returns the form that leads back. */
export async function press(url: string, choice: string, more: Fields = {}): Promise<Back> {
  return backOf(await browse(url, { choice, ...more }, 'application/json'));
}

/** Follows an action as the payer's browser does, with a POST. */
export async function follow(action: Action | undefined, accept?: string): Promise<CallbackReply> {
  if (action?.type !== 'redirect') throw new Error('no redirect');
  return browse(action.url, action.fields ?? {}, accept);
}

export function actionOf(outcome: Outcome): Action {
  if (outcome.outcome !== 'pending' || !outcome.action) throw new Error(`no action: ${JSON.stringify(outcome)}`);
  return outcome.action;
}
