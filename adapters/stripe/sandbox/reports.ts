/** What Stripe reports about a payment, a refund, a dispute and a session, and when. */
import { newId, refundEnds, type Message } from '@paywright/contract/sandbox';
import type { Events } from './events.ts';
import { decide, ruleOf, type Intent, type IntentStatus, type RefundFacts } from './payments.ts';
import { presentDispute, presentIntent, presentRefund, presentSession, type SessionFacts } from './present.ts';

/** What it takes to present the sandbox's objects. */
export interface Shown {
  readonly events: Events;
  readonly livemode: boolean;
  readonly stepUrl: (intent: Intent) => string;
  readonly pageUrl: (session: SessionFacts) => string;
}

const typeOf: Readonly<Record<IntentStatus, string>> = {
  requires_payment_method: 'payment_failed',
  requires_action: 'requires_action',
  processing: 'processing',
  requires_capture: 'amount_capturable_updated',
  succeeded: 'succeeded',
  canceled: 'canceled',
};

/** Presents the payment with the status that it has when the event is created. */
export function intentMessage(
  { events, livemode, stepUrl }: Shown,
  intent: Intent,
  status: IntentStatus,
  timing: { readonly after: number; readonly happens?: () => void },
): Message {
  const object = () => presentIntent({ ...intent, status }, livemode, stepUrl(intent));
  return events.event(`payment_intent.${typeOf[status]}`, object, timing);
}

/** Decides a payment by its card and returns the reports that follow. */
export function settle(shown: Shown, intent: Intent): readonly Message[] {
  const { wait } = decide(intent);
  const ended = { ...intent };
  wait?.(ended);
  if (ended.status === 'processing') return [];
  // For the out-of-order scenario, a second event must arrive too late.
  const before = intent.rule === '.56' ? [intentMessage(shown, intent, 'processing', { after: 1 })] : [];
  const after = before.length + 1;
  const end = intentMessage(shown, ended, ended.status, { after, ...(wait ? { happens: () => wait(intent) } : {}) });
  return [...before, end, ...aftermath(shown, intent, after + 1)];
}

/** What happens later to a charged payment automatically. */
function aftermath(shown: Shown, intent: Intent, after: number): readonly Message[] {
  if (intent.status !== 'succeeded') return [];
  if (intent.card.kind === 'refunded_later') {
    return refundMessages(shown, newRefund(intent, intent.amount, {}), after);
  }
  return intent.card.kind === 'charged_back_later' ? disputeMessages(shown, intent, after) : [];
}

export function newRefund(intent: Intent, amount: string, metadata: Readonly<Record<string, string>>): RefundFacts {
  intent.asked += BigInt(amount);
  const { currency, id: paymentIntent } = intent;
  const created = Math.floor(Date.now() / 1000);
  const refund: RefundFacts = {
    id: newId('re_', 24),
    amount,
    currency,
    paymentIntent,
    metadata,
    created,
    status: 'pending',
  };
  intent.refunds.push(refund);
  return refund;
}

/**
 * Reports `refund.created` and the end of the refund: an amount in `.58` fails, one in `.59` succeeds and fails
 * afterwards.
 */
export function refundMessages({ events }: Shown, refund: RefundFacts, after: number): readonly Message[] {
  const ends = refundEnds(ruleOf(refund.amount, refund.currency));
  const created = events.event('refund.created', () => presentRefund({ ...refund, status: 'pending' }), { after });
  const ended = ends.map((end, at) => {
    const status = end === 'done' ? 'succeeded' : 'failed';
    const happens = (): void => {
      refund.status = status;
    };
    const object = () => presentRefund({ ...refund, status });
    return events.event(status === 'failed' ? 'refund.failed' : 'refund.updated', object, {
      after: after + 1 + at,
      happens,
    });
  });
  return [created, ...ended];
}

function disputeMessages({ events, livemode }: Shown, intent: Intent, after: number): readonly Message[] {
  const { amount, currency, charge, id: paymentIntent } = intent;
  const created = Math.floor(Date.now() / 1000);
  const dispute = { id: newId('du_', 24), amount, currency, charge, paymentIntent, created } as const;
  const report = (type: string, status: string, at: number): Message => {
    const happens = (): void => {
      intent.dispute = { ...dispute, status };
    };
    return events.event(`charge.dispute.${type}`, () => presentDispute({ ...dispute, status }, livemode), {
      after: at,
      happens,
    });
  };
  return [report('created', 'needs_response', after), report('closed', 'lost', after + 1)];
}

/** The payer paid at the page, or let the session end. */
export function sessionMessage(
  shown: Shown,
  session: SessionFacts,
  intent: Intent | undefined,
  after: number,
): Message {
  const { events, livemode, pageUrl } = shown;
  const type = session.status === 'expired' ? 'expired' : 'completed';
  const object = () => presentSession(session, livemode, pageUrl(session), intent?.id);
  return events.event(`checkout.session.${type}`, object, { after });
}

/** The result after a passed step: the card decides. */
export function passStep(shown: Shown, intent: Intent): readonly Message[] {
  intent.threeDs = 'authenticated';
  return settle(shown, intent);
}

/** Captures the reserved money. */
export function collect(shown: Shown, intent: Intent, amount: string): readonly Message[] {
  Object.assign(intent, { status: 'succeeded', received: amount });
  return [intentMessage(shown, intent, 'succeeded', { after: 1 })];
}
