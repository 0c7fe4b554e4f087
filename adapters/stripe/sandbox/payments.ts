/** Stripe's payments: how a card and an amount decide the result, and how payments end. */
import type { DeclineCode } from '@paywright/contract';
import { amountRule, cardBehaviour, newId, type AmountRule, type CardBehaviour } from '@paywright/contract/sandbox';
import { fromStripeAmount } from '../wire.ts';

export type IntentStatus =
  'requires_payment_method' | 'requires_action' | 'processing' | 'requires_capture' | 'succeeded' | 'canceled';

export interface Intent {
  readonly id: string;
  readonly charge: string;
  readonly amount: string;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly description: string | undefined;
  readonly demand: string | undefined;
  readonly isManual: boolean;
  readonly returnUrl: string;
  readonly card: CardBehaviour;
  readonly rule: AmountRule | undefined;
  readonly created: number;
  status: IntentStatus;
  received: string;
  failure: Failure | undefined;
  cancellation: string | undefined;
  threeDs: 'authenticated' | 'failed' | undefined;
  dispute: DisputeFacts | undefined;
  readonly refunds: RefundFacts[];
  /** Refunds requested and not refused, in Stripe's smallest unit. */
  asked: bigint;
}

export interface RefundFacts {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly paymentIntent: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: number;
  status: 'pending' | 'succeeded' | 'failed';
}

export interface DisputeFacts {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly charge: string;
  readonly paymentIntent: string;
  readonly created: number;
  status: string;
}

export interface Failure {
  readonly code: string;
  readonly decline?: string;
  readonly message: string;
}

const failures: Readonly<Partial<Record<DeclineCode, Failure>>> = {
  '05': { code: 'card_declined', decline: 'generic_decline', message: 'Your card was declined.' },
  '51': { code: 'card_declined', decline: 'insufficient_funds', message: 'Your card has insufficient funds.' },
  '54': { code: 'expired_card', message: 'Your card has expired.' },
  '57': { code: 'card_declined', decline: 'transaction_not_allowed', message: 'Your card was declined.' },
  '61': {
    code: 'card_declined',
    decline: 'card_velocity_exceeded',
    message: 'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
  },
};

export const failedStep: Failure = {
  code: 'payment_intent_authentication_failure',
  message: 'The provided PaymentMethod has failed authentication.',
};

export function failureOf(decline: DeclineCode | undefined): Failure {
  return failures[decline ?? '05'] ?? failures['05']!;
}

/** The cards of Stripe's own test PaymentMethods (docs.stripe.com/testing). Any other `pm_card_…` is approved. */
const testMethods: Readonly<Record<string, string>> = {
  pm_card_visa_chargeDeclined: '4000000000000002',
  pm_card_visa_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_chargeDeclinedExpiredCard: '4000000000000069',
  pm_card_threeDSecure2Required: '4000000000003220',
  pm_card_createDispute: '4000000000000440',
};

/** The card number of a test PaymentMethod; undefined for any other id. */
export function testCard(method: string): string | undefined {
  return testMethods[method] ?? (method.startsWith('pm_card_') ? '4242424242424242' : undefined);
}

export type Asked = Pick<
  Intent,
  'amount' | 'currency' | 'metadata' | 'description' | 'demand' | 'isManual' | 'returnUrl'
>;

/** A new PaymentIntent. It waits for the payer if 3D Secure is demanded; otherwise it is undecided. */
export function openIntent(asked: Asked, number: string): Intent {
  const id = newId('', 24);
  const card = cardBehaviour(number);
  const isApproved = card.kind === 'approved' || card.kind.endsWith('_later');
  const isChallenged =
    card.kind === 'challenge' || (isApproved && asked.demand !== undefined && asked.demand !== 'automatic');
  return {
    ...asked,
    id: `pi_${id}`,
    charge: `ch_${id}`,
    card,
    rule: ruleOf(asked.amount, asked.currency),
    created: Math.floor(Date.now() / 1000),
    status: isChallenged ? 'requires_action' : 'processing',
    received: '0',
    failure: undefined,
    cancellation: undefined,
    threeDs: undefined,
    dispute: undefined,
    refunds: [],
    asked: 0n,
  };
}

export function ruleOf(amount: string, currency: string): AmountRule | undefined {
  return amountRule(fromStripeAmount(amount, currency));
}

/** Charges the payment, or reserves its money if the merchant captures. */
export function approve(intent: Intent): void {
  if (intent.isManual) intent.status = 'requires_capture';
  else Object.assign(intent, { status: 'succeeded', received: intent.amount });
}

export function decline(intent: Intent, failure: Failure): void {
  Object.assign(intent, { status: 'requires_payment_method', failure });
}

/** Decides the payment by its card. `wait` is the result that follows later. */
export function decide(intent: Intent): { readonly wait?: (intent: Intent) => void } {
  const { kind, decline: code } = intent.card;
  switch (kind) {
    case 'declined':
      decline(intent, failureOf(code));
      return {};
    case 'pending_forever':
      return {};
    case 'pending_declined':
      return { wait: (later) => decline(later, failureOf(code)) };
    case 'pending_approved':
      return { wait: approve };
    case 'approved':
    case 'challenge':
    case 'silent':
    case 'refunded_later':
    case 'charged_back_later':
      approve(intent);
      return {};
  }
}
