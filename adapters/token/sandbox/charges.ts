/** The vault's charges: the result for each token and amount, and their ends. */
import { fromMinor, JsonNumber } from '@paywright/contract';
import { amountRule, newId, type AmountRule } from '@paywright/contract/sandbox';
import type { ChargeRequest } from './requests.ts';
import { behaviourOf, type Behaviour, type SavedCard } from './tokens.ts';

export interface Charge {
  readonly id: string;
  readonly ref: string;
  /** Minor units, as digits. */
  readonly minor: string;
  readonly cur: string;
  readonly rule: AmountRule | undefined;
  readonly behaviour: Behaviour;
  readonly card: SavedCard;
  readonly back: string;
  state: 'succeeded' | 'failed' | 'pending' | 'challenge';
  why: string | null;
  /** The button that the payer pressed on the challenge page. */
  pressed?: 'pass' | 'fail';
  /** Requested refunds that were not refused, in minor units. */
  asked: bigint;
}

/** Creates a charge as it is answered: `challenge` if the payer must pass 3D Secure first. */
export function openCharge({ ref, token, minor, cur, auth3, back }: ChargeRequest, card: SavedCard): Charge {
  const behaviour = behaviourOf(token);
  const { ends, why = null, waits, challenges, silent } = behaviour;
  const forced = auth3 === 'force' && ends === 'succeeded' && !waits && !silent;
  const challenged = forced || (challenges && auth3 !== 'skip');
  const state = challenged ? 'challenge' : waits || ends === 'never' ? 'pending' : ends;
  return {
    id: newId('ch_', 8),
    ref,
    minor,
    cur,
    rule: ruleOf(minor, cur),
    behaviour,
    card,
    back,
    state,
    why: state === 'failed' ? why : null,
    asked: 0n,
  };
}

export function ruleOf(minor: string, cur: string): AmountRule | undefined {
  return amountRule({ amount: fromMinor(minor, cur), currency: cur });
}

/** The final state of a charge. Undefined if it never ends. */
export function endOf({ behaviour, pressed }: Charge): Pick<Charge, 'state' | 'why'> | undefined {
  if (pressed === 'fail') return { state: 'failed', why: 'auth_failed' };
  if (behaviour.ends === 'never') return undefined;
  return { state: behaviour.ends, why: behaviour.why ?? null };
}

/** The charge as events report it, in the given state. */
export function chargeFacts({ id, ref, minor, cur }: Charge, { state, why }: Pick<Charge, 'state' | 'why'>) {
  return { id, ref, state, minor: new JsonNumber(minor), cur, why };
}

/** A whole reply. `challengeUrl` is the address of the challenge. */
export function presentReply(charge: Charge, mid: string, challengeUrl: string): Readonly<Record<string, unknown>> {
  const { id, ref, ...facts } = chargeFacts(charge, charge);
  const { handle, brand, last4, expires } = charge.card;
  return {
    charge: { id, ref, mid, ...facts },
    token: { handle, brand, last4, expires },
    step: charge.state === 'challenge' ? { url: challengeUrl } : null,
  };
}
