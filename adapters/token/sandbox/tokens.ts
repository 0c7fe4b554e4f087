/** The saved cards: the behaviour of each token, and what the vault shows of it. */
import { hash } from '@paywright/contract';
import { BoundedMap } from '@paywright/contract/sandbox';

export interface Behaviour {
  /** The final state of the charge, immediately or later. */
  readonly ends: 'succeeded' | 'failed' | 'never';
  /** The reason for `failed`. */
  readonly why?: string;
  /** The answer is `pending`. */
  readonly waits?: true;
  /** Requires 3D Secure, unless it is skipped. */
  readonly challenges?: true;
  /** The connection is closed without an answer. */
  readonly silent?: true;
  /** The events after a success. */
  readonly follows?: 'refund' | 'dispute' | 'token.updated' | 'token.active';
}

const behaviours: Readonly<Record<string, Behaviour>> = {
  tok_decline_05: { ends: 'failed', why: 'do_not_honor' },
  tok_decline_51: { ends: 'failed', why: 'no_funds' },
  tok_decline_54: { ends: 'failed', why: 'card_expired' },
  tok_decline_57: { ends: 'failed', why: 'not_allowed' },
  tok_decline_61: { ends: 'failed', why: 'limit' },
  tok_challenge: { ends: 'succeeded', challenges: true },
  tok_pending_ok: { ends: 'succeeded', waits: true },
  tok_pending_05: { ends: 'failed', why: 'do_not_honor', waits: true },
  tok_pending: { ends: 'never', waits: true },
  tok_lost: { ends: 'succeeded', silent: true },
  tok_refund: { ends: 'succeeded', follows: 'refund' },
  tok_dispute: { ends: 'succeeded', follows: 'dispute' },
  tok_updated: { ends: 'succeeded', follows: 'token.updated' },
  tok_active: { ends: 'succeeded', follows: 'token.active' },
};

/** The behaviour of a charge with this token. Any other token that begins with `tok_` succeeds. */
export function behaviourOf(token: string): Behaviour {
  return Object.hasOwn(behaviours, token) ? behaviours[token]! : { ends: 'succeeded' };
}

/** The state that prevents charges of the token. */
export function blockedState(token: string): 'suspended' | 'deleted' | undefined {
  if (token === 'tok_suspended') return 'suspended';
  return token === 'tok_deleted' ? 'deleted' : undefined;
}

/** The vault's report about a saved card. */
export interface SavedCard {
  /** A handle that reveals nothing about the token. */
  readonly handle: string;
  readonly brand: string;
  last4: string;
  expires: string;
}

export function createCards(): (token: string) => SavedCard {
  const cards = new BoundedMap<string, SavedCard>();
  return (token) => {
    const handle = `th_${hash('sha256', token).toString('hex').slice(0, 12)}`;
    const card = cards.get(handle) ?? { handle, brand: 'visa', last4: '1111', expires: '2029-12' };
    cards.set(handle, card);
    return card;
  };
}

/** The issuer sent the payer a new card. */
export function renew(card: SavedCard): void {
  Object.assign(card, { last4: card.last4 === '1111' ? '4242' : '1111', expires: '2031-01' });
}
