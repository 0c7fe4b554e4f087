/** The behaviour that the payer's e-mail address and the amount demand. */
import type { AmountRule } from '@paywright/contract/sandbox';
import { declines } from '../statuses.ts';

/** The state of a deal. */
export interface DealState {
  readonly phase: 'settled' | 'open' | 'held' | 'dropped' | 'left' | 'lapsed';
  /** Present in the state `dropped`. */
  readonly why?: string;
}

export interface Behaviour extends DealState {
  /** The payer is sent to the wallet's page. */
  readonly hasPage?: true;
  /** The automatic change after one delay, unless another change came first. */
  readonly later?: DealState;
  /** The connection is closed without an answer. */
  readonly isSilent?: true;
  /** What happens to the paid deal later. */
  readonly follows?: 'returned' | 'claimed';
}

const settled = { phase: 'settled' } as const;
const refused = { phase: 'dropped', why: 'wallet_refused' } as const;

const byLocalPart: Readonly<Record<string, Behaviour>> = {
  instant: settled,
  ...Object.fromEntries(Object.entries(declines).map(([why, code]) => [`refused-${code}`, { phase: 'dropped', why }])),
  slow: { phase: 'open', later: settled },
  'slow-fail': { phase: 'open', later: refused },
  held: { phase: 'held', later: settled },
  never: { phase: 'open' },
  lapse: { phase: 'open', hasPage: true, later: { phase: 'lapsed' } },
  silent: { ...settled, isSilent: true },
  returns: { ...settled, follows: 'returned' },
  claims: { ...settled, follows: 'claimed' },
};

const usual: Behaviour = { phase: 'open', hasPage: true };

/** The result of a choice at the wallet's page. */
export const choices: Readonly<Record<string, DealState>> = {
  pass: settled,
  fail: refused,
  leave: { phase: 'left' },
};

/** With `.53` and `.55` the payer never comes to the page, and with `.55` no change is left for later. */
export function behaviourOf(email: string, rule: AmountRule | undefined): Behaviour {
  const local = email.split('@')[0]!;
  const behaviour = Object.hasOwn(byLocalPart, local) ? byLocalPart[local]! : usual;
  if (rule !== '.53' && rule !== '.55') return behaviour;
  if (behaviour.hasPage) return settled;
  return (rule === '.55' && behaviour.later) || behaviour;
}
