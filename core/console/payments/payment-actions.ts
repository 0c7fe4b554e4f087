/** Actions of operators on payments. */
import {
  cardBrandOf,
  compareDecimals,
  isAboveZero,
  isDecimal,
  subtractDecimals,
  trimDecimal,
} from '@paywright/contract';
import { maskText } from '../../base/log/log-masks.ts';
import { shownMoney } from '../../base/text/money-text.ts';
import { invalidField } from '../../base/errors.ts';
import {
  readMoney,
  settlingText,
  type ChargeDetails,
  type PaymentDetails,
  type SettledRefund,
} from '../../engine/payments/index.ts';
import { details, maskedText, type Confirmation } from '../../html/components/parts.ts';
import { buttons } from '../kit/buttons.ts';
import { requireReason, paymentIdOf, reasonOf, type ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import { providerText } from './payment-cells.ts';
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
    effect: async (deps, id, values) => {
      const payment = await deps.readPayment(paymentIdOf(id));
      const money = payment?.money;
      const charge = chargeOf(money, values);
      checkAmount(money, charge, values);
      const which = charge
        ? `Only the charge ${charge.reference} at ${providerText(deps, charge.adapter)} is refunded. `
        : '';
      const what = `Refund ${refundText(money, charge, values)}`;
      return {
        title: `${what} to ${payerText(payment)}?`,
        text: `${which}It cannot be undone.`,
        label: what,
        ...(await aboutPayment(deps, {
          id,
          payment,
          values,
          adapter: charge?.adapter,
          sums: refundSums(money, charge, values),
        })),
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
    effect: async (deps, id, values) => {
      const payment = await deps.readPayment(paymentIdOf(id));
      return {
        title: 'Record the result of this refund?',
        text: settlingText(payment ?? { refunds: [] }, settledOf(values)),
        label: 'Record result',
        ...(await aboutPayment(deps, { id, payment, values })),
      };
    },
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
    effect: async (deps, id, values) => {
      const payment = await deps.readPayment(paymentIdOf(id));
      const final = 'It can no longer be paid, and this cannot be undone.';
      if (!payment) return { title: 'Cancel the payment?', text: final, label: 'Cancel payment' };
      const sum = shownMoney(payment.amount, payment.currency);
      const about = await aboutPayment(deps, { id, payment, values });
      if (payment.attempts.at(-1)?.isAuthorised)
        return {
          title: `Release ${sum} to ${payerText(payment)}?`,
          text: `This releases the ${sum} that are reserved. They can no longer be captured, and this cannot be undone.`,
          label: `Release ${sum}`,
          ...about,
        };
      return {
        title: `Cancel the payment of ${sum}?`,
        text: final,
        label: 'Cancel payment',
        ...about,
      };
    },
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

/** The payer with the card, such as `Sofia Nunes (Visa …1111)`. */
function payerText(payment: PaymentDetails | undefined): string {
  if (!payment) return 'the payer';
  const { payer, attempts } = payment;
  const latest = attempts.at(-1);
  const card = latest?.cardLastDigits ? ` (${cardText(latest)})` : '';
  const name = payer.name ?? payer.email;
  return `${name === null ? 'the payer' : maskText(name)}${card}`;
}

type Sums = readonly (readonly [name: string, value: string])[];

/** The sums of an action, the payment, its merchant and the reason, and whether real money moves. */
async function aboutPayment(
  deps: Pick<ConsoleDeps, 'owners' | 'adapters'>,
  {
    id,
    payment,
    values,
    adapter = payment?.attempts.at(-1)?.adapter,
    sums = [],
  }: {
    readonly id: string;
    readonly payment: PaymentDetails | undefined;
    readonly values: FormValues;
    /** The adapter of the charge that is refunded. Absent: that of the latest attempt. */
    readonly adapter?: string | undefined;
    readonly sums?: Sums;
  },
): Promise<Pick<Confirmation, 'about' | 'mode'>> {
  if (!payment) return {};
  const { ownerId, referenceId, environment } = payment;
  const reason = reasonOf(values);
  const about = details([
    ...sums,
    ['Payment', id],
    ['Merchant', (await deps.owners.get(ownerId))?.name ?? `merchant ${ownerId}`],
    ...(referenceId === null ? [] : [['Merchant reference', maskedText(referenceId)] as const]),
    ...(adapter === undefined ? [] : [['Provider', providerText(deps, adapter)] as const]),
    ...(reason === undefined ? [] : [['Reason', maskedText(reason)] as const]),
  ]);
  return { about, mode: environment };
}

/** What was paid and refunded, and what the refund leaves. Nothing if the sums are not known in one currency. */
function refundSums(
  sums: PaymentDetails['money'] | undefined,
  charge: ChargeDetails | undefined,
  values: FormValues,
): Sums {
  if (!sums || sums.currency === null || (charge && charge.currency !== sums.currency)) return [];
  const { currency, paid, refunded } = sums;
  const left = charge?.left ?? sums.leftToRefund;
  const amount = refundAmountOf(values) ?? left;
  if (compareDecimals(amount, left) > 0) return [];
  return [
    ['Paid', shownMoney(paid, currency)],
    ['Refunded so far', shownMoney(refunded, currency)],
    ['This refund', shownMoney(amount, currency)],
    [`Left to refund${charge ? ' of the charge' : ''}`, shownMoney(subtractDecimals(left, amount), currency)],
  ];
}

function cardText({ cardBin, cardLastDigits }: PaymentDetails['attempts'][number]): string {
  return `${cardBrandOf(cardBin ?? '')?.name ?? 'card'} …${cardLastDigits}`;
}

/** The amount of a refund, as far as it is known before the refund. */
function refundText(
  money: PaymentDetails['money'] | undefined,
  charge: ChargeDetails | undefined,
  values: FormValues,
): string {
  const amount = refundAmountOf(values) ?? charge?.left ?? money?.leftToRefund;
  const currency = charge?.currency ?? money?.currency;
  return currency && amount !== undefined ? shownMoney(amount, currency) : 'the amount received';
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
      `must be at most ${shownMoney(single.left, single.currency)}, which is what is left`,
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
