/** Objects in Stripe's format: the members that the adapter reads, and the ids. */
import { JsonNumber } from '@paywright/contract';
import type { DisputeFacts, Failure, Intent, RefundFacts } from './payments.ts';

/** The only account in this sandbox. */
export const ACCOUNT = 'acct_sandbox';

type Members = Readonly<Record<string, unknown>>;
const digits = (text: string): JsonNumber => new JsonNumber(text);

export function presentFailure({ code, decline, message }: Failure): Members {
  return { code, ...(decline === undefined ? {} : { decline_code: decline }), message, type: 'card_error' };
}

/** `stepUrl` is the address of the challenge. `isExpanded` includes the complete charge. */
export function presentIntent(intent: Intent, livemode: boolean, stepUrl: string, isExpanded = false): Members {
  const { id, status, amount, received, currency, metadata, failure, cancellation, demand, charge } = intent;
  const isCharged = status !== 'requires_action' && status !== 'canceled';
  const step = { type: 'redirect_to_url', redirect_to_url: { url: stepUrl, return_url: intent.returnUrl } };
  return {
    id,
    object: 'payment_intent',
    amount: digits(amount),
    amount_capturable: digits(status === 'requires_capture' ? amount : '0'),
    amount_received: digits(received),
    cancellation_reason: cancellation ?? null,
    capture_method: intent.isManual ? 'manual' : 'automatic',
    client_secret: `${id}_secret_sandbox`,
    confirmation_method: 'automatic',
    created: intent.created,
    currency,
    description: intent.description ?? null,
    last_payment_error: failure ? presentFailure(failure) : null,
    latest_charge: isCharged ? (isExpanded ? presentCharge(intent, livemode) : charge) : null,
    livemode,
    metadata,
    next_action: status === 'requires_action' ? step : null,
    payment_method_options: { card: { request_three_d_secure: demand ?? 'automatic' } },
    payment_method_types: ['card'],
    status,
  };
}

function presentCharge({ id, charge, amount, currency, status, dispute, threeDs }: Intent, livemode: boolean): Members {
  return {
    id: charge,
    object: 'charge',
    amount: digits(amount),
    captured: status === 'succeeded',
    currency,
    disputed: dispute !== undefined,
    livemode,
    payment_intent: id,
    payment_method_details: { type: 'card', card: { three_d_secure: threeDs ? { result: threeDs } : null } },
  };
}

/** A failed refund shows that its money came back. */
export function presentRefund({
  id,
  amount,
  currency,
  paymentIntent,
  metadata,
  status,
  created,
}: RefundFacts): Members {
  const failed = { failure_reason: 'expired_or_canceled_card', failure_balance_transaction: `txn_${id.slice(3)}` };
  return {
    id,
    object: 'refund',
    amount: digits(amount),
    created,
    currency,
    ...(status === 'failed' ? failed : {}),
    metadata,
    payment_intent: paymentIntent,
    reason: null,
    status,
  };
}

export function presentDispute(dispute: DisputeFacts, livemode: boolean): Members {
  const { id, amount, currency, charge, paymentIntent, status, created } = dispute;
  return {
    id,
    object: 'dispute',
    amount: digits(amount),
    charge,
    created,
    currency,
    evidence_details: { due_by: created + 604_800, has_evidence: false, past_due: false, submission_count: 0 },
    is_charge_refundable: false,
    livemode,
    metadata: {},
    payment_intent: paymentIntent,
    payment_method_details: { type: 'card', card: { brand: 'visa', network_reason_code: '10.4' } },
    reason: 'fraudulent',
    status,
  };
}

export interface SessionFacts {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly reference: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly created: number;
  status: 'open' | 'complete' | 'expired';
}

/**
 * `intent` is the PaymentIntent, as an id or a complete object. `url` is the page, as long as the payer can pay there.
 */
export function presentSession(session: SessionFacts, livemode: boolean, url: string, intent: unknown): Members {
  const { id, amount, currency, reference, successUrl, cancelUrl, status, created } = session;
  return {
    id,
    object: 'checkout.session',
    amount_total: digits(amount),
    cancel_url: cancelUrl,
    client_reference_id: reference,
    created,
    currency,
    expires_at: created + 86_400,
    livemode,
    mode: 'payment',
    payment_intent: intent ?? null,
    payment_status: status === 'complete' ? 'paid' : 'unpaid',
    status,
    success_url: successUrl,
    url: status === 'open' ? url : null,
  };
}
