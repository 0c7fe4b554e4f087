/**
 * A pull payment: how the server shows a refund. The payer claims the money at its page, and each claim is a payout.
 */
import {
  addDecimals,
  compareDecimals,
  decimalText,
  filled,
  formatMoney,
  isAboveZero,
  isWebAddress,
  lenient,
  v,
  type ReportedEvent,
} from '@paywright/contract';

export const PullPayment = v.object({
  id: filled,
  /** Our reference of the refund. For a refund that was made at the server, the name that was entered there. */
  name: v.string(),
  amount: decimalText,
  currency: v.string(),
  archived: v.boolean(),
  /** The page at which the payer claims the refund and sees its state. */
  viewLink: lenient(v.string()),
});
export type PullPayment = v.InferOutput<typeof PullPayment>;

export const Payouts = v.array(
  v.object({
    pullPaymentId: v.string(),
    state: filled,
    /** The amount in the currency of the pull payment. */
    originalAmount: decimalText,
  }),
);
export type Payouts = v.InferOutput<typeof Payouts>;

/** True for a refund of this attempt, and for a refund that was made at the server and has none of our names. */
export function mayBelongTo(reference: string, { name }: PullPayment): boolean {
  return !/^GW-\d+-\d+-R\d+$/.test(name) || isOurs(reference, name);
}

/** Whether this is the name of a refund of this attempt. */
export function isOurs(reference: string, name: string): boolean {
  return name.startsWith(`${reference}-R`);
}

/** The name that BTCPay Server gives a refund that a person makes at its pages. */
export function serverName(invoiceId: string): string {
  return `Refund ${invoiceId}`;
}

/** A refund failed if it is archived and nothing was claimed. If a part was claimed, it is a refund of that part. */
export function toRefundEvent(
  pullPayment: PullPayment,
  payouts: Payouts,
  { reference, providerReference = null }: { readonly reference: string; readonly providerReference?: string | null },
): ReportedEvent {
  const { id, currency, viewLink } = pullPayment;
  const paid = addDecimals('0', ...payouts.flatMap((one) => (one.state === 'Completed' ? [one.originalAmount] : [])));
  const { state, amount } = stateOf(pullPayment, payouts, paid);
  const isShown = state !== 'Archived' && viewLink !== undefined && viewLink.length <= 200 && isWebAddress(viewLink);
  return {
    kind: 'refund',
    providerStatus: state,
    reference,
    providerReference,
    subReference: id,
    ...formatMoney(amount, currency),
    dedupeKey: [id, state, paid].join(':'),
    ...(isShown ? { details: { claimAt: viewLink } } : {}),
  };
}

function stateOf({ amount, archived }: PullPayment, payouts: Payouts, paid: string) {
  const claim = payouts.find(({ state }) => state !== 'Completed' && state !== 'Cancelled');
  if (compareDecimals(paid, amount) >= 0) return { state: 'Completed', amount };
  if (claim) return { state: claim.state, amount };
  if (!archived) return { state: 'Active', amount };
  return isAboveZero(paid) ? { state: 'Completed', amount: paid } : { state: 'Archived', amount };
}
