/** The payments of New Provider: what an amount and the payer's means lead to, and when it is reported. */
import { JsonNumber, moneyFromMinor, type DeclineCode } from '@paywright/contract';
// for: billing upi
//: import { amountRule, newId, type AmountRule, type CardBehaviour, type Message } from '@paywright/contract/sandbox';
// end
// for: card token
import {
  amountRule,
  cardBehaviour,
  newId,
  type AmountRule,
  type CardBehaviour,
  type Message,
} from '@paywright/contract/sandbox';
// end
import { declines } from '../statuses.ts';
// for: card token
import { openChallenge, presentChallenge, type Challenge } from './challenge.ts';
// end
import type { About, Notify } from './messages.ts';
import type { AskedPayment } from './requests.ts';

export interface Order extends About {
  readonly returnUrl: string;
  behaviour: CardBehaviour;
  readonly rule: AmountRule | undefined;
  // for: card token
  status: 'paid' | 'waiting' | 'refused' | 'challenge';
  /** While the payer is at the bank, and afterwards. */
  readonly challenge?: Challenge;
  // end
  // for: billing upi
  //: status: 'paid' | 'waiting' | 'refused';
  // end
  /** Set if the status is `refused`. */
  reason?: string;
  /** In minor units. */
  refunded: bigint;
}

export function ruleOf({ amount, currency }: Pick<AskedPayment, 'amount' | 'currency'>): AmountRule | undefined {
  return amountRule(moneyFromMinor(amount.text, currency));
}

// for: billing upi
//: export function openOrder(asked: AskedPayment): Order {
//:   const { reference, amount, currency, noticeUrl, returnUrl } = asked;
//:   return {
//:     id: newId('np-'),
// end
// for: card token
/**
 * The bank requires 3D Secure for every payment that demands it, and for a card with a challenge unless it is skipped.
 */
export function openOrder(asked: AskedPayment, baseUrl: string): Order {
  const { account, reference, amount, currency, noticeUrl, returnUrl, threeDs, challengeReturnUrl } = asked;
  // for: card
  const behaviour = cardBehaviour(asked.card.number);
  // end
  // for: token
  //: // A token that ends with the number of a test card behaves as that card.
  //: const behaviour = cardBehaviour(/\d{16}$/.exec(asked.token)?.[0] ?? '');
  // end
  const summary = { money: moneyFromMinor(amount.text, currency), shop: account, reference };
  const isAsked = threeDs === 'demand' || (threeDs === 'auto' && behaviour.kind === 'challenge');
  return {
    id: newId('np-'),
    ...(isAsked ? { challenge: openChallenge(baseUrl, challengeReturnUrl, summary) } : {}),
    behaviour,
    // end
    reference,
    amount: amount.text,
    currency,
    noticeUrl,
    returnUrl,
    // for: upi
    //: behaviour: { kind: 'pending_approved' },
    // end
    // for: billing
    //: behaviour: { kind: 'approved' },
    // end
    rule: ruleOf(asked),
    status: 'waiting',
    refunded: 0n,
  };
}

/** Decides the result of the order and returns the messages about it. */
export function scenarioFor(order: Order, notify: Notify): readonly Message[] {
  // for: card token
  if (order.challenge && !order.challenge.pressed) {
    order.status = 'challenge';
    return [];
  }
  if (order.challenge?.pressed === 'fail') {
    const reason = 'not_authenticated';
    Object.assign(order, { status: 'refused', reason });
    return [notify(order, { kind: 'payment', status: 'refused', reason }, 1)];
  }
  // end
  const { kind, decline = '05' } = order.behaviour;
  const refused = notify(order, { kind: 'payment', status: 'refused', reason: reasonOf(decline) }, 1, () => {
    Object.assign(order, { status: 'refused', reason: reasonOf(decline) });
  });
  switch (kind) {
    case 'pending_forever':
      return [];
    case 'pending_declined':
      return [refused];
    case 'declined':
      Object.assign(order, { status: 'refused', reason: reasonOf(decline) });
      return [refused];
    case 'pending_approved':
      return approval(order, notify);
    case 'approved':
    case 'challenge':
    case 'silent':
    case 'refunded_later':
    case 'charged_back_later':
      order.status = 'paid';
      return [...approval(order, notify), ...aftermath(order, notify)];
  }
}

function reasonOf(code: DeclineCode): string {
  return Object.keys(declines).find((word) => declines[word] === code) ?? 'refused';
}

/** Out of order (`.56`), two messages are sent: that it waits, and that it is paid. */
function approval(order: Order, notify: Notify): Message[] {
  const paid = (after: number): Message =>
    notify(order, { kind: 'payment', status: 'paid' }, after, () => {
      order.status = 'paid';
    });
  return order.rule === '.56' ? [notify(order, { kind: 'payment', status: 'waiting' }, 1), paid(2)] : [paid(1)];
}

/** Events that happen to a paid order later without a request. */
function aftermath(order: Order, notify: Notify): Message[] {
  const { id, amount, behaviour } = order;
  if (behaviour.kind === 'refunded_later') {
    const done = { kind: 'refund', status: 'done', about: `refund-${id}` } as const;
    return [
      notify(order, done, 2, () => {
        order.refunded = BigInt(amount);
      }),
    ];
  }
  if (behaviour.kind !== 'charged_back_later') return [];
  return (['opened', 'lost'] as const).map((status, at) =>
    notify(order, { kind: 'chargeback', status, about: `dispute-${id}` }, 2 + at),
  );
}

/** The answer about a payment, with its present status. */
export function presentOrder(order: Order): Record<string, unknown> {
  const { id, reference, amount, currency, status, reason, refunded } = order;
  return {
    id,
    reference,
    amount: new JsonNumber(amount),
    currency,
    status,
    reason,
    refunded: new JsonNumber(String(refunded)),
    // for: card token
    ...(order.challenge ? presentChallenge(order.challenge) : { threeDs: 'none' }),
    // end
    // for: upi
    //: expiresAt: new Date(Date.now() + 600_000).toISOString(),
    // end
  };
}
