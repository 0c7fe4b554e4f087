/** Events of an order, its authorisations, captures and refunds: the same from a webhook and from a fetch. */
import {
  addDecimals,
  defined,
  eventDeclineOf,
  formatAmount,
  withDetails,
  type ProviderReferences,
  type ReportedEvent,
} from '@paywright/contract';
import {
  captureIdOf,
  idsOf,
  isCharged,
  partsOf,
  type Authorization,
  type Capture,
  type Order,
  type Refund,
} from './order.ts';
import { declines } from './statuses.ts';

/** Names the payment by its capture, or by its order while there is no charge. */
function namedBy(ids: { readonly order?: string; readonly authorization?: string; readonly capture?: string }) {
  const primary = ids.capture ?? ids.order;
  return primary === undefined
    ? { providerReference: null }
    : { providerReference: primary, providerReferences: { ...ids } as ProviderReferences };
}

const failed: ReadonlySet<string> = new Set(['DECLINED', 'DENIED', 'FAILED']);

export function toCaptureEvent(capture: Capture): ReportedEvent {
  const { id, status, amount, custom_id, status_details, processor_response, update_time, supplementary_data } =
    capture;
  const order = supplementary_data?.related_ids?.order_id;
  const ids = defined({ order, capture: isCharged(capture) ? id : undefined });
  return {
    kind: 'payment',
    providerStatus: `capture:${status}`,
    reference: custom_id ?? null,
    ...namedBy(ids),
    ...amount,
    // A later refund does not change that the payer was charged.
    dedupeKey: `${id}:${isCharged(capture) ? 'COMPLETED' : status}`,
    ...(failed.has(status) ? eventDeclineOf(declines, processor_response?.response_code, status_details?.reason) : {}),
    ...defined({ occurredAt: update_time }),
    ...withDetails({ reason: status_details?.reason }),
  };
}

export function toAuthorizationEvent(authorization: Authorization): ReportedEvent {
  const { id, status, amount, custom_id, status_details, update_time, expiration_time, supplementary_data } =
    authorization;
  const order = supplementary_data?.related_ids?.order_id;
  return {
    kind: 'payment',
    providerStatus: `authorization:${status}`,
    reference: custom_id ?? null,
    // Before the charge, the order is the primary reference.
    ...(order === undefined ? { providerReference: null } : namedBy({ order, authorization: id })),
    ...amount,
    dedupeKey: `${id}:${status}`,
    ...(status === 'DENIED' ? eventDeclineOf(declines, undefined, status_details?.reason) : {}),
    ...defined({ occurredAt: update_time }),
    ...withDetails({ expiresAt: expiration_time?.toISOString() }),
  };
}

/** References of the payment that an event is about, if the caller knows them. */
export type About = Pick<ReportedEvent, 'reference' | 'providerReference' | 'providerReferences'>;

export function toRefundEvent(refund: Refund, about?: About): ReportedEvent {
  const { id, status, amount, acquirer_reference_number: arn, update_time, status_details } = refund;
  return {
    kind: 'refund',
    providerStatus: status,
    reference: null,
    providerReference: captureIdOf(refund) || null,
    ...about,
    subReference: id,
    ...amount,
    dedupeKey: `${id}:${status}`,
    ...defined({ occurredAt: update_time }),
    ...withDetails({ arn, reason: status_details?.reason }),
  };
}

/** Marks the case of a reversal, because PayPal shows a reversal as if it were a refund. */
const REVERSAL = 'REVERSAL-';

/** The id of the refund that PayPal shows for a reversal; undefined for any other case. */
export function reversalId(subReference: string): string | undefined {
  return subReference.startsWith(REVERSAL) ? subReference.slice(REVERSAL.length) : undefined;
}

/**
 * Money that PayPal took back without the merchant: because of a chargeback, or because the payer's bank did not pay.
 */
export function toReversalEvent(taken: Refund, about?: About): ReportedEvent {
  const event = toRefundEvent(taken, about);
  return {
    ...event,
    kind: 'chargeback',
    providerStatus: 'REVERSED',
    subReference: `${REVERSAL}${taken.id}`,
    dedupeKey: `${taken.id}:REVERSED`,
  };
}

/** The order itself, while nothing was reserved or captured. */
export function toOrderEvent(order: Order): ReportedEvent {
  const {
    id,
    status,
    purchase_units: [{ custom_id, amount }],
  } = order;
  return {
    kind: 'payment',
    providerStatus: `order:${status}`,
    reference: custom_id ?? null,
    ...idsOf(order),
    ...amount,
    dedupeKey: `${id}:${status}`,
  };
}

/** The events of the payment: its state first, then a failed capture of reserved money. */
export function toPaymentEvents(order: Order): readonly [ReportedEvent, ...ReportedEvent[]] {
  const { authorization, captures, capture } = partsOf(order);
  const ids = idsOf(order);
  if (!authorization) return [capture ? { ...toCaptureEvent(capture), ...ids } : toOrderEvent(order)];
  // Reserved money may be captured in several parts. The amount is the authorised one; the sum of the parts is paid.
  const { amount, currency } = authorization.amount;
  if (capture && isCharged(capture)) {
    const parts = captures.filter((one) => isCharged(one) && one.amount.currency === currency);
    const sum = addDecimals('0', ...parts.map((one) => one.amount.amount));
    const capturedAmount = formatAmount({ amount: sum, currency });
    return [{ ...toCaptureEvent(capture), ...ids, amount, currency, capturedAmount }];
  }
  if (capture && !failed.has(capture.status)) return [{ ...toCaptureEvent(capture), ...ids, amount, currency }];
  const reserved = { ...toAuthorizationEvent(authorization), ...ids };
  if (!capture || authorization.status !== 'CREATED') return [reserved];
  return [reserved, { ...reserved, dedupeKey: `${capture.id}:${capture.status}`, failedRequest: 'capture' }];
}
