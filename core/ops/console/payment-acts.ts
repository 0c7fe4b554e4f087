/** What operators do to payments. */
import { moneyText } from '../../payments/index.ts';
import { amountOf, demandReason, paymentIdOf, reasonOf, type ConsoleAct } from './act.ts';
import type { ConsoleDeps } from './deps.ts';

const toPayment = (_: ConsoleDeps, id: string): string => `/ops/payments/${id}`;

export const paymentActs: readonly ConsoleAct[] = [
  {
    path: '/ops/payments/:id/reconcile',
    section: 'payments',
    role: 'support',
    run: async ({ payments }, by, id) => payments.reconcile(by, paymentIdOf(id)),
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/refund',
    section: 'payments',
    role: 'admin',
    effect: async ({ story }, id, typed) => {
      const money = (await story(paymentIdOf(id)))?.money;
      const amount = amountOf(typed) ?? money?.leftToRefund;
      const what = money?.currency && amount ? moneyText(amount, money.currency) : 'what came in';
      return `This gives ${what} of payment ${id} back to its payer.`;
    },
    run: async ({ payments }, by, id, typed) => {
      await payments.refund(by, paymentIdOf(id), amountOf(typed), reasonOf(typed));
    },
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/cancel',
    section: 'payments',
    role: 'admin',
    effect: async ({ story }, id) =>
      (await story(paymentIdOf(id)))?.attempts.at(-1)?.isAuthorised
        ? `This releases the money that is reserved for payment ${id}: nobody can collect it any more.`
        : `This cancels payment ${id}: nobody can pay it any more.`,
    run: async ({ payments }, by, id, typed) => {
      await payments.cancel(by, paymentIdOf(id), reasonOf(typed));
    },
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/review',
    section: 'payments',
    role: 'support',
    run: async ({ payments }, by, id, typed) => payments.review(by, paymentIdOf(id), demandReason(typed)),
    back: toPayment,
  },
];
