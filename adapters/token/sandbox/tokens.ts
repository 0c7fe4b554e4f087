/** The saved cards: what each token asks for, and what the vault shows of it. */
import { hash } from '@paywright/contract';
import { BoundedMap } from '@paywright/contract/sandbox';

export interface Behaviour {
  /** What the charge comes to at once, or by itself later. */
  readonly ends: 'succeeded' | 'failed' | 'never';
  /** With `failed`. */
  readonly why?: string;
  /** The answer says `pending`. */
  readonly waits?: true;
  /** 3D Secure, unless it is to be skipped. */
  readonly challenges?: true;
  /** The connection is closed without an answer. */
  readonly silent?: true;
  /** What follows a success. */
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

/** What a charge of the token does; any other token that begins with `tok_` succeeds. */
export function behaviourOf(token: string): Behaviour {
  return Object.hasOwn(behaviours, token) ? behaviours[token]! : { ends: 'succeeded' };
}

/** The state that keeps a token from being charged. */
export function blockedState(token: string): 'suspended' | 'deleted' | undefined {
  if (token === 'tok_suspended') return 'suspended';
  return token === 'tok_deleted' ? 'deleted' : undefined;
}

/** What the vault reports about a saved card. */
export interface SavedCard {
  /** Harmless: says nothing about the token. */
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
