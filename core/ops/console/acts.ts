/** What operators do in the console: each asks who it is, what is dangerous asks twice, and all of it is in the audit. */
import { isDecimal } from '@gateway/contract';
import type { Actor } from '../../audit/index.ts';
import { invalidField } from '../../errors.ts';
import { moneyText } from '../../payments/index.ts';
import type { ConsoleDeps } from './deps.ts';

/** What was typed beside the button, by name. */
export type Typed = Readonly<Record<string, string>>;

export interface ConsoleAct {
  /** `:id` names what it is about. */
  readonly path: string;
  readonly role: 'support' | 'admin';
  /** The sentence that is to be agreed to first; absent: it harms nothing. */
  readonly effect?: (deps: ConsoleDeps, id: string, typed: Typed) => Promise<string>;
  /** Rejects with a `GatewayError` that says why not. */
  readonly run: (deps: ConsoleDeps, by: Actor, id: string, typed: Typed) => Promise<unknown>;
  /** Where one is afterwards. */
  readonly back: (id: string) => string;
}

const toPayment = (id: string): string => `/ops/payments/${id}`;

export const consoleActs: readonly ConsoleAct[] = [
  {
    path: '/ops/payments/:id/reconcile',
    role: 'support',
    run: async ({ payments }, by, id) => payments.reconcile(by, paymentIdOf(id)),
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/refund',
    role: 'admin',
    effect: async ({ story }, id, typed) => {
      const money = (await story(paymentIdOf(id)))?.money;
      const amount = amountOf(typed) ?? money?.leftToRefund;
      const what = money?.currency && amount ? moneyText(amount, money.currency) : 'what came in';
      return `This gives ${what} of payment ${id} back to its payer.`;
    },
    run: async ({ payments }, by, id, typed) => payments.refund(by, paymentIdOf(id), amountOf(typed), reasonOf(typed)),
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/cancel',
    role: 'admin',
    effect: async ({ story }, id) =>
      (await story(paymentIdOf(id)))?.attempts.at(-1)?.isAuthorised
        ? `This releases the money that is reserved for payment ${id}: nobody can collect it any more.`
        : `This cancels payment ${id}: nobody can pay it any more.`,
    run: async ({ payments }, by, id, typed) => payments.cancel(by, paymentIdOf(id), reasonOf(typed)),
    back: toPayment,
  },
  {
    path: '/ops/callbacks/:id/requeue',
    role: 'support',
    run: async ({ letters }, by, id, typed) => letters.requeue(by, id, reasonOf(typed)),
    back: (id) => `/ops/callbacks/${encodeURIComponent(id)}`,
  },
  {
    path: '/ops/callbacks/:id/discard',
    role: 'admin',
    effect: async (_, id) => `This gives up callback ${id}: what the provider reported there is never applied.`,
    run: async ({ letters }, by, id, typed) => {
      const reason = reasonOf(typed);
      if (reason === undefined) throw invalidField('reason', '', 'says why, for the audit');
      await letters.discard(by, id, reason);
    },
    back: () => '/ops/callbacks',
  },
  {
    path: '/ops/notifications/:id/resend',
    role: 'support',
    run: async ({ notifications }, by, id) => notifications.resend(by, id),
    back: () => '/ops/notifications',
  },
  {
    path: '/ops/jobs/:id/run',
    role: 'support',
    run: async ({ jobs }, by, id) => jobs.run(by, id),
    back: () => '/ops/jobs',
  },
];

/** What is no number names no payment. */
export function paymentIdOf(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}

function amountOf({ amount = '' }: Typed): string | undefined {
  if (amount === '') return undefined;
  if (!isDecimal(amount)) throw invalidField('amount', amount, 'must be a decimal number');
  return amount;
}

function reasonOf({ reason = '' }: Typed): string | undefined {
  return reason === '' ? undefined : reason;
}
