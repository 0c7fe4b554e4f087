/** One payment: its data, its money, its next steps, and its timeline. */
import { isAboveZero } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../base/errors.ts';
import { amountText, moneyText } from '../../base/text/money-text.ts';
import {
  disputeText,
  leftText,
  paymentHistoryOf,
  paymentWayText,
  refundText,
  type PaymentDetails,
  type AttemptDetails,
  type RefundDetails,
} from '../../engine/payments/index.ts';
import { auditHead, auditRows } from '../system/audit.ts';
import { buttons, nextText, optionalReason } from '../kit/buttons.ts';
import type { ConsoleDeps } from '../deps.ts';
import { notificationCells } from '../messages/notifications.ts';
import {
  actionsHeading,
  announced,
  badge,
  choice,
  fact,
  maskedText,
  live,
  textField,
  time,
} from '../../html/components/parts.ts';
import type { ShowTable } from '../kit/listing.ts';
import { actionForm } from '../kit/action-form.ts';
import { historyChart } from './history-chart.ts';
import type { Session } from '../sign-in/session.ts';

const shownActions = 50;
const shownNotifications = 100;

/** Throws NF001 if the payment does not exist. */
export async function paymentPage(
  deps: ConsoleDeps,
  id: number,
  session: Session,
  { table, isAfterAction }: { readonly table: ShowTable; readonly isAfterAction: boolean },
): Promise<SafeHtml> {
  const payment = await deps.readPayment(id);
  if (!payment) throw notFound(`payment request ${id}`);
  const [owner, notifications, actions, offers] = await Promise.all([
    deps.owners.get(payment.ownerId),
    deps.searchNotifications({ paymentRequestId: id, limit: shownNotifications }),
    deps.audit.list({ subject: { type: 'payment', id: String(id) }, limit: shownActions }),
    deps.payments.offers(id),
  ]);
  const { referenceId, email, next } = payment;
  const history = paymentHistoryOf(payment);
  const refunded = isAfterAction && actions.items[0]?.act === 'payment.refund' ? refundNote(payment) : null;
  return html`${live(
    'state',
    html`${refunded}
      ${announced(html`<p class="lead">${summaryLine(payment, owner?.name ?? `merchant ${payment.ownerId}`)}</p>`)}
      <dl class="facts">
        ${fact('Merchant reference', maskedText(referenceId))} ${fact('Payer', email ?? '–')} ${moneyFacts(payment)}
      </dl>
      ${refundTables(payment, table)}
      <h2>Next steps</h2>
      ${table('next', {
        caption: 'Next steps',
        head: ['When', 'What'],
        rows: next.map((step) => [step.at === null ? 'waiting for action' : time(step.at), nextText(step)]),
        empty: 'No further action.',
      })}`,
  )}
  ${actionForms(payment, session, offers)}
  ${live(
    'story',
    html`<h2>Timeline</h2>
      ${historyChart(history)}
      ${table('story', {
        caption: 'Timeline',
        head: ['When', 'What', 'Details'],
        rows: history.map(({ at, kind, text }) => [time(at, { precise: true }), kind, maskedText(text)]),
        empty: 'Nothing has happened yet.',
      })}
      <h2>Notifications</h2>
      ${table('notifications', {
        caption: 'Notifications of this payment, newest first',
        head: ['Created', 'State', 'Type', 'To', 'Attempts', 'Next attempt', actionsHeading],
        rows: notifications.items.map((one) => [
          time(one.createdAt),
          ...notificationCells(one, session, `/ops/payments/${id}`),
        ]),
        empty: 'No notifications.',
        ...(notifications.nextCursor !== null && {
          rest: { text: `Only the newest ${shownNotifications} are shown.`, path: `/ops/notifications?payment=${id}` },
        }),
      })}
      <h2>Operator actions</h2>
      ${table('deeds', {
        caption: 'Operator actions on this payment, newest first',
        head: auditHead,
        rows: auditRows(actions.items),
        empty: 'No operator actions.',
        ...(actions.nextBefore !== null && {
          rest: {
            text: `The newest ${shownActions} are shown. List all with: paywright audit list --subject payment:${id}`,
          },
        }),
      })}`,
  )}`;
}

function summaryLine(payment: PaymentDetails, merchant: string): SafeHtml {
  const { status, chargedBack, amount, currency, environment, createdAt, attempts, money } = payment;
  const latest = attempts.at(-1);
  return html`${badge(status)} ${chargedBack ? html`<span class="badge bad">charged back</span>` : null}
    ${attempts.some(isUnresolved) ? html`<span class="badge bad">needs review</span>` : null}
    ${money.chargedTwice === null ? null : html`<span class="badge bad">charged twice</span>`}
    <strong>${moneyText(amount, currency)}</strong> for ${merchant} (${environment}),
    ${latest ? `by ${paymentWayText(latest)} at ${latest.adapter}` : 'never submitted'}, created ${time(createdAt)}`;
}

/** The result of the refund that an operator has just requested, as far as it is known. */
function refundNote({ refunds }: PaymentDetails): SafeHtml | null {
  const latest = refunds.findLast(({ isReported }) => !isReported);
  if (!latest) return null;
  const look = latest.state === 'succeeded' ? 'good' : latest.state === 'failed' ? 'bad' : '';
  return html`<p class="note ${look}" role="status">Refund requested: ${maskedText(refundText(latest))}.</p>`;
}

function refundTables({ refunds, disputes }: PaymentDetails, table: ShowTable): SafeHtml {
  const refundRows = refunds.map((refund) => [
    refund.requestedAt ? time(refund.requestedAt) : '–',
    html`${badge(refund.state)}`,
    maskedText(refundText(refund)),
    maskedText(refund.providerReference),
  ]);
  return html`${
    refunds.length === 0
      ? null
      : html`<h2>Refunds</h2>
          ${table('refunds', {
            caption: 'Refunds of this payment',
            head: ['Requested', 'State', 'Refund', 'Provider reference'],
            rows: refundRows,
            empty: 'No refunds.',
          })}`
  }${
    disputes.length === 0
      ? null
      : html`<h2>Chargebacks</h2>
          ${table('disputes', {
            caption: 'Chargebacks of this payment',
            head: ['State', 'Case'],
            rows: disputes.map((dispute) => [badge(dispute.stage), maskedText(disputeText(dispute))]),
            empty: 'No chargebacks.',
          })}`
  }`;
}

function isUnresolved({ needsReview, outcome }: AttemptDetails): boolean {
  return needsReview && outcome === 'open';
}

function moneyFacts({ money }: PaymentDetails): SafeHtml {
  const { currency, paid, refunded, disputed, fee, net, netAfterRefunds, underpaid } = money;
  const coins = underpaid === null ? null : fact('Coins', underpaid);
  if (currency === null) return html`${fact('Paid', 'nothing')} ${coins}`;
  const text = (amount: string): string => moneyText(amount, currency);
  return html`${fact('Paid', text(paid))} ${fact('Refunded', text(refunded))} ${fact('Disputed', text(disputed))}
  ${fact('Fee', fee === null ? 'unknown' : text(fee))} ${net === null ? null : fact('Net', text(net))}
  ${netAfterRefunds === null ? null : fact('Net after refunds', text(netAfterRefunds))} ${coins}
  ${fact('Refundable', leftText(money))}`;
}

function actionForms(
  { id, money, attempts, refunds }: PaymentDetails,
  session: Session,
  { canCancel, canRefund }: { readonly canCancel: boolean; readonly canRefund: boolean },
): SafeHtml {
  const why = textField({ name: 'reason', label: optionalReason });
  const waiting = refunds.filter(({ state }) => state === 'needs_merchant');
  const forms = [
    attempts.length > 0
      ? actionForm(session, 'support', { action: `/ops/payments/${id}/reconcile`, label: buttons.reconcile })
      : null,
    canRefund
      ? actionForm(session, 'admin', {
          action: `/ops/payments/${id}/refund`,
          label: buttons.refund,
          fields: html`${refundFields(money)}${why}`,
          isDangerous: true,
        })
      : null,
    waiting.length > 0
      ? actionForm(session, 'admin', {
          action: `/ops/payments/${id}/settle-refund`,
          label: buttons.settle_refund,
          fields: html`${settleFields(waiting)}${why}`,
          isDangerous: true,
        })
      : null,
    canCancel
      ? actionForm(session, 'admin', {
          action: `/ops/payments/${id}/cancel`,
          label: 'Cancel',
          fields: why,
          isDangerous: true,
        })
      : null,
    actionForm(session, 'support', {
      action: `/ops/payments/${id}/review`,
      label: buttons.review,
      fields: textField({ name: 'reason', label: 'Note (required, recorded in the audit log)', isRequired: true }),
    }),
  ].filter((form) => form !== null);
  return forms.length === 0
    ? html``
    : html`<h2>Actions</h2>
        <div class="acts">${forms}</div>`;
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
    value: amountText(left, unit),
  })}`;
}
