/** The forms of a payment's page. Only those are shown that the payment accepts now. */
import { isAboveZero } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { amountText, moneyText } from '../../base/text/money-text.ts';
import type { PaymentDetails, RefundDetails } from '../../engine/payments/index.ts';
import { choice, textField } from '../../html/components/parts.ts';
import { buttons, optionalReason } from '../kit/buttons.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

export interface Offers {
  readonly canCancel: boolean;
  readonly canRefund: boolean;
}

export function actionForms(payment: PaymentDetails, session: Session, { canCancel, canRefund }: Offers): SafeHtml {
  const { id, money, attempts, refunds } = payment;
  const why = textField({ name: 'reason', label: optionalReason });
  const waiting = refunds.filter(({ state }) => state === 'needs_merchant');
  const path = `/ops/payments/${id}`;
  const forms = [
    attempts.length > 0
      ? actionForm(session, 'support', { action: `${path}/reconcile`, label: buttons.reconcile })
      : null,
    canRefund
      ? actionForm(session, 'admin', {
          action: `${path}/refund`,
          label: buttons.refund,
          fields: html`${refundFields(money)}${why}`,
          isDangerous: true,
        })
      : null,
    waiting.length > 0
      ? actionForm(session, 'admin', {
          action: `${path}/settle-refund`,
          label: buttons.settle_refund,
          fields: html`${settleFields(waiting)}${why}`,
          isDangerous: true,
        })
      : null,
    canCancel
      ? actionForm(session, 'admin', {
          action: `${path}/cancel`,
          label: payment.attempts.at(-1)?.isAuthorised ? 'Release the money' : 'Cancel payment',
          fields: why,
          isDangerous: true,
        })
      : null,
    canBeReviewed(payment)
      ? actionForm(session, 'support', {
          action: `${path}/review`,
          label: buttons.review,
          fields: textField({
            name: 'reason',
            label: 'What was found',
            hint: 'Recorded in the audit log, without personal data.',
            isRequired: true,
          }),
        })
      : null,
    actionForm(session, 'support', {
      action: `${path}/note`,
      label: 'Add note',
      fields: textField({
        name: 'text',
        label: 'Note',
        hint: 'Shown in the timeline and kept in the audit log. Do not write personal data.',
        isRequired: true,
      }),
    }),
  ].filter((form) => form !== null);
  return forms.length === 0
    ? html``
    : html`<h2>Actions</h2>
        <div class="acts">${forms}</div>`;
}

/** True if something waits for an operator to look at it. */
function canBeReviewed({ next }: PaymentDetails): boolean {
  return next.some(({ acts = [] }) => acts.some(({ act }) => act === 'review'));
}

/** The refunds that the merchant must send, and what became of one. */
function settleFields(waiting: readonly RefundDetails[]): SafeHtml {
  const known = new Map(waiting.map((one) => [one.reference, one] as const));
  const refundOf = (reference: string): string => {
    const refund = known.get(reference);
    return refund ? `${reference}, ${moneyText(refund.amount, refund.currency)}` : reference;
  };
  const resultOf = (status: string): string =>
    status === 'succeeded' ? 'Succeeded: the merchant has sent the money' : 'Failed: the money stays with the merchant';
  return html`${choice('refund', 'Refund', [...known.keys()], waiting[0]!.reference, { any: false, textOf: refundOf })}
  ${choice('status', 'Result', ['succeeded', 'failed'], 'succeeded', { any: false, textOf: resultOf })}`;
}

/** If the payment was charged twice, the later charge is selected by default. */
function refundFields({ currency, leftToRefund, doubleCharges, charges: all }: PaymentDetails['money']): SafeHtml {
  const later = doubleCharges.at(-1);
  const single = later ?? (currency === null ? all.find((one) => isAboveZero(one.left)) : undefined);
  const [left, unit] = single ? [single.left, single.currency] : [leftToRefund, currency ?? ''];
  const charges = new Map(doubleCharges.map((one) => [one.reference, one] as const));
  const textOf = (reference: string): string => {
    const charge = charges.get(reference);
    return charge ? `${reference} at ${charge.adapter}, ${moneyText(charge.left, charge.currency)} left` : reference;
  };
  const options = { any: false, textOf } as const;
  return html`${
    later ? choice('charge', 'Charge to refund', [...charges.keys()], later.reference, options) : null
  }${textField({
    name: 'amount',
    label: `Amount (at most ${later ? 'what is left of the charge' : moneyText(left, unit)})`,
    hint: 'Lower it to refund a part.',
    inputMode: 'decimal',
    value: amountText(left, unit),
  })}`;
}
