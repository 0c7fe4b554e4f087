/** Actions of operators on payments. */
import { compareDecimals, isAboveZero, isDecimal, trimDecimal } from '@paywright/contract';
import { moneyText } from '../../base/text/money-text.ts';
import { invalidField } from '../../base/errors.ts';
import {
  readMoney,
  settlingText,
  type ChargeDetails,
  type PaymentDetails,
  type SettledRefund,
} from '../../engine/payments/index.ts';
import { buttons } from '../kit/buttons.ts';
import { requireReason, paymentIdOf, reasonOf, type ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormValues } from '../kit/form-values.ts';

const toPayment = (_: ConsoleDeps, id: string): string => `/ops/payments/${id}`;

export const paymentActions: readonly ConsoleAction[] = [
  {
    path: '/ops/payments/:id/reconcile',
    section: 'payments',
    role: 'support',
    label: 'Status check',
    done: 'Status check requested: the provider is asked now.',
    run: async ({ payments }, by, id) => payments.reconcile(by, paymentIdOf(id)),
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/refund',
    section: 'payments',
    role: 'admin',
    label: buttons.refund,
    effect: async ({ readPayment }, id, values) => {
      const money = (await readPayment(paymentIdOf(id)))?.money;
      const charge = chargeOf(money, values);
      checkAmount(money, charge, values);
      const what = refundText(money, charge, values);
      const which = charge ? `, only from the charge ${charge.reference} at ${charge.adapter}` : '';
      return {
        title: `Refund ${what}?`,
        text: `This refunds ${what} of payment ${id} to the payer${which}. It cannot be undone.`,
        label: buttons.refund,
      };
    },
    run: async ({ payments, readPayment }, by, id, values, { operationId }) => {
      const money = (await readPayment(paymentIdOf(id)))?.money;
      const charge = chargeOf(money, values);
      const wanted = { amount: refundAmountOf(values), attempt: charge?.n };
      await payments.refund(by, paymentIdOf(id), wanted, reasonOf(values), operationId);
      return { done: `Refund of ${refundText(money, charge, values)} requested.` };
    },
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/settle-refund',
    section: 'payments',
    role: 'admin',
    label: buttons.settle_refund,
    done: 'Result of the refund recorded.',
    effect: async ({ readPayment }, id, values) => ({
      title: 'Record the result of this refund?',
      text: settlingText((await readPayment(paymentIdOf(id))) ?? { refunds: [] }, settledOf(values)),
      label: 'Record result',
    }),
    run: async ({ payments }, by, id, values, { operationId }) => {
      await payments.settleRefund(by, paymentIdOf(id), settledOf(values), reasonOf(values), operationId);
    },
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/cancel',
    section: 'payments',
    role: 'admin',
    label: 'Cancelling',
    done: 'Cancellation requested.',
    effect: async ({ readPayment }, id) => ({
      title: `Cancel payment ${id}?`,
      text: (await readPayment(paymentIdOf(id)))?.attempts.at(-1)?.isAuthorised
        ? `This releases the money that is reserved for payment ${id}. It can no longer be captured.`
        : `This cancels payment ${id}. It can no longer be paid.`,
      label: 'Cancel payment',
    }),
    run: async ({ payments }, by, id, values) => {
      await payments.cancel(by, paymentIdOf(id), reasonOf(values));
    },
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/note',
    section: 'payments',
    role: 'support',
    label: 'Adding the note',
    done: 'Note added.',
    run: async ({ payments }, by, id, values) => payments.note(by, paymentIdOf(id), noteOf(values)),
    back: toPayment,
  },
  {
    path: '/ops/payments/:id/review',
    section: 'payments',
    role: 'support',
    label: 'Review',
    done: 'Marked as reviewed.',
    run: async ({ payments }, by, id, values) => payments.review(by, paymentIdOf(id), requireReason(values)),
    back: toPayment,
  },
];

/** The amount of a refund, as far as it is known before the refund. */
function refundText(
  money: PaymentDetails['money'] | undefined,
  charge: ChargeDetails | undefined,
  values: FormValues,
): string {
  const amount = refundAmountOf(values) ?? charge?.left ?? money?.leftToRefund;
  const currency = charge?.currency ?? money?.currency;
  return currency && amount !== undefined ? moneyText(amount, currency) : 'the amount received';
}

const maxNote = 500;

function noteOf({ text = '' }: FormValues): string {
  if (text.length < 1 || text.length > maxNote)
    throw invalidField('text', '', `must be a note of 1 to ${maxNote} characters`);
  return text;
}

/**
 * An amount in any usual spelling. Undefined: what is left. The form writes a decimal point, so `1.500` has three
 * decimals, as in KWD.
 */
function refundAmountOf({ amount = '' }: FormValues): string | undefined {
  if (amount === '') return undefined;
  if (isDecimal(amount)) return trimDecimal(amount);
  const money = readMoney(amount);
  if (money?.amounts.length !== 1) throw invalidField('amount', amount, 'must be an amount, for example 25.90');
  return money.amounts[0];
}

/** Throws VAL002 for another currency or more than what is left, so that the form says it before it asks. */
function checkAmount(
  money: PaymentDetails['money'] | undefined,
  charge: ChargeDetails | undefined,
  values: FormValues,
): void {
  const amount = refundAmountOf(values);
  const single = charge ?? money?.charges.find(({ left }) => isAboveZero(left));
  if (amount === undefined || !single) return;
  const units = readMoney(values['amount'] ?? '')?.units ?? [];
  if (units.length > 0 && !units.includes(single.currency))
    throw invalidField('amount', values['amount'], `must be in ${single.currency}, the currency of the charge`);
  if (!isAboveZero(amount)) throw invalidField('amount', amount, 'must be more than 0');
  if (compareDecimals(amount, single.left) > 0)
    throw invalidField(
      'amount',
      amount,
      `must be at most ${moneyText(single.left, single.currency)}, which is what is left`,
    );
}

function settledOf({ refund = '', status = '' }: FormValues): SettledRefund {
  if (status !== 'succeeded' && status !== 'failed')
    throw invalidField('status', status, 'must be succeeded or failed');
  return { refund, status };
}

/**
 * Undefined: there is only one charge. Throws VAL002 if nothing is left of the charge, or if no charge is chosen of a
 * payment that was charged twice, so that both are never refunded together.
 */
function chargeOf(money: PaymentDetails['money'] | undefined, { charge = '' }: FormValues): ChargeDetails | undefined {
  if (charge === '') {
    if (!money?.doubleCharges.length) return undefined;
    throw invalidField('charge', '', 'must be chosen: the payment was charged twice, so reload its page');
  }
  const found = money?.doubleCharges.find(({ reference }) => reference === charge);
  if (!found)
    throw invalidField(
      'charge',
      charge,
      'is not one of the charges of this payment that can still be refunded separately',
    );
  return found;
}
