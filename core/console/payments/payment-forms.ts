/** The forms of a payment's page. Only those are shown that the payment accepts now. */
import { isAboveZero } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { amountText, shownMoney } from '../../base/text/money-text.ts';
import type { NextAction, PaymentDetails, RefundDetails } from '../../engine/payments/index.ts';
import { actionMenu, choice, textField, type ActionForm } from '../../html/components/parts.ts';
import { buttons, optionalReason } from '../kit/buttons.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

export interface Offers {
  readonly canCancel: boolean;
  readonly canRefund: boolean;
}

export interface PaymentForms {
  /** In the head of the page: buttons, and buttons that open a form. */
  readonly bar: SafeHtml;
  /** For what needs an operator: these forms are open. Null: nothing needs one. */
  readonly needed: SafeHtml | null;
  /** Null if the operator may not write notes. */
  readonly note: SafeHtml | null;
}

interface Shown {
  readonly payment: PaymentDetails;
  readonly session: Session;
  readonly offers: Offers;
  /** The name of an adapter's provider. */
  readonly titleOf: (adapter: string) => string;
}

export function paymentForms(shown: Shown): PaymentForms {
  const { payment, session, offers, titleOf } = shown;
  const { id, money, attempts, refunds, next } = payment;
  const path = `/ops/payments/${id}`;
  const why = textField({ name: 'reason', label: optionalReason });
  const isNeeded = (wanted: NextAction['act']): boolean =>
    next.some(({ at, acts = [] }) => at === null && acts.some(({ act }) => act === wanted));
  const admin = (form: ActionForm): SafeHtml | null => actionForm(session, 'admin', { ...form, isDangerous: true });
  const waiting = refunds.filter(({ state }) => state === 'needs_merchant');
  const check = attempts.length > 0 ? { action: `${path}/reconcile`, label: buttons.reconcile } : null;
  const refund = offers.canRefund
    ? admin({
        action: `${path}/refund`,
        label: buttons.refund,
        fields: html`${refundFields(money, titleOf)}${why}`,
      })
    : null;
  const cancelLabel = attempts.at(-1)?.isAuthorised ? 'Release the money' : 'Cancel payment';
  const cancel = offers.canCancel ? admin({ action: `${path}/cancel`, label: cancelLabel, fields: why }) : null;
  const needed = [
    isNeeded('refund') ? refund : null,
    waiting.length > 0
      ? admin({
          action: `${path}/settle-refund`,
          label: buttons.settle_refund,
          fields: html`${settleFields(waiting)}${why}`,
        })
      : null,
    isNeeded('review') ? reviewForm(session, path) : null,
  ].filter((form) => form !== null);
  return {
    bar: html`${refund && !isNeeded('refund') ? actionMenu(`${buttons.refund}…`, refund) : null}
    ${check && actionForm(session, 'support', check)} ${cancel && actionMenu(`${cancelLabel}…`, cancel)}`,
    needed: needed.length === 0 ? null : html`<div class="acts">${needed}</div>`,
    note: actionForm(session, 'support', {
      action: `${path}/note`,
      label: 'Add note',
      fields: textField({
        name: 'text',
        label: 'Note',
        hint: 'Shown in the timeline and kept in the audit log. Do not write personal data.',
        isRequired: true,
      }),
    }),
  };
}

function reviewForm(session: Session, path: string): SafeHtml | null {
  return actionForm(session, 'support', {
    action: `${path}/review`,
    label: buttons.review,
    fields: textField({
      name: 'reason',
      label: 'What was found',
      hint: 'Recorded in the audit log, without personal data.',
      isRequired: true,
    }),
  });
}

/** The refunds that the merchant must send, and what became of one. */
function settleFields(waiting: readonly RefundDetails[]): SafeHtml {
  const known = new Map(waiting.map((one) => [one.reference, one] as const));
  const refundOf = (reference: string): string => {
    const refund = known.get(reference);
    return refund ? `${reference}, ${shownMoney(refund.amount, refund.currency)}` : reference;
  };
  const resultOf = (status: string): string =>
    status === 'succeeded' ? 'Succeeded: the merchant has sent the money' : 'Failed: the money stays with the merchant';
  return html`${choice('refund', 'Refund', [...known.keys()], waiting[0]!.reference, { any: false, textOf: refundOf })}
  ${choice('status', 'Result', ['succeeded', 'failed'], 'succeeded', { any: false, textOf: resultOf })}`;
}

/** If the payment was charged twice, the later charge is selected by default. */
function refundFields(
  { currency, leftToRefund, doubleCharges, charges: all }: PaymentDetails['money'],
  titleOf: Shown['titleOf'],
): SafeHtml {
  const later = doubleCharges.at(-1);
  const single = later ?? (currency === null ? all.find((one) => isAboveZero(one.left)) : undefined);
  const [left, unit] = single ? [single.left, single.currency] : [leftToRefund, currency ?? ''];
  const charges = new Map(doubleCharges.map((one) => [one.reference, one] as const));
  const textOf = (reference: string): string => {
    const charge = charges.get(reference);
    if (!charge) return reference;
    return `Charge ${charge.charge}: ${reference} at ${titleOf(charge.adapter)}, ${shownMoney(charge.left, charge.currency)} left`;
  };
  const options = { any: false, textOf } as const;
  return html`${
    later ? choice('charge', 'Charge to refund', [...charges.keys()], later.reference, options) : null
  }${textField({
    name: 'amount',
    label: `Amount (at most ${later ? 'what is left of the charge' : shownMoney(left, unit)})`,
    hint: 'Lower it to refund a part.',
    inputMode: 'decimal',
    value: amountText(left, unit),
  })}`;
}
