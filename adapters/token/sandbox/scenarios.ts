/** The vault's callbacks in their order, each one sandbox delay after the one before. */
import { JsonNumber } from '@paywright/contract';
import { newId, type Message } from '@paywright/contract/sandbox';
import { chargeFacts, endOf, ruleOf, type Charge } from './charges.ts';
import type { Hooks } from './hooks.ts';
import { renew, type SavedCard } from './tokens.ts';

export interface Refund {
  readonly id: string;
  readonly minor: string;
  state: 'pending' | 'succeeded' | 'failed' | 'reversed';
}

const succeeded = { state: 'succeeded', why: null } as const;

/** The end of a charge and the events after it. Empty for a charge that never ends. */
export function chargeScenario(charge: Charge, hooks: Hooks): readonly Message[] {
  const end = endOf(charge);
  if (!end) return [];
  const notify = (as: Pick<Charge, 'state' | 'why'>, after: number, happens?: () => void): Message =>
    hooks.event(`charge.${as.state}`, charge.id, () => ({ charge: chargeFacts(charge, as) }), {
      after,
      ...(happens ? { happens } : {}),
    });
  const before = charge.rule === '.56' ? [notify({ state: 'pending', why: null }, 1)] : [];
  const after = before.length + 1;
  const final = notify(end, after, () => Object.assign(charge, end));
  return [...before, final, ...(end.state === 'succeeded' ? aftermath(charge, hooks, after + 1) : [])];
}

/** Later events of a paid charge that no request triggers. */
function aftermath(charge: Charge, hooks: Hooks, after: number): readonly Message[] {
  switch (charge.behaviour.follows) {
    case 'refund': {
      charge.asked = BigInt(charge.minor);
      return refundScenario(charge, newRefund(charge.minor), hooks, after);
    }
    case 'dispute': {
      const id = newId('dp_', 6);
      return ['opened', 'lost'].map((stage, at) => {
        const dispute = { id, stage, minor: new JsonNumber(charge.minor) };
        const members = () => ({ charge: chargeFacts(charge, succeeded), dispute });
        return hooks.event(`dispute.${stage}`, charge.id, members, { after: after + at });
      });
    }
    case 'token.updated':
      return [tokenMessage(charge.card, 'updated', hooks, after)];
    case 'token.active':
      return [tokenMessage(charge.card, 'active', hooks, after)];
    case undefined:
    default:
      return [];
  }
}

export function newRefund(minor: string): Refund {
  return { id: newId('rf_', 6), minor, state: 'pending' };
}

/** The end of a refund: by its own amount `.58` fails, and `.59` succeeds and is then reversed. */
export function refundScenario(charge: Charge, refund: Refund, hooks: Hooks, after: number): readonly Message[] {
  const rule = ruleOf(refund.minor, charge.cur);
  const states =
    rule === '.58' ? ['failed' as const] : ['succeeded' as const, ...(rule === '.59' ? ['reversed' as const] : [])];
  return states.map((state, at) => {
    const happens = (): void => {
      refund.state = state;
      if (state !== 'succeeded') charge.asked -= BigInt(refund.minor);
    };
    const reported = { id: refund.id, state, minor: new JsonNumber(refund.minor) };
    const members = () => ({ charge: chargeFacts(charge, succeeded), refund: reported });
    return hooks.event(`refund.${state}`, charge.id, members, { after: after + at, happens });
  });
}

/** An event of a saved card's life. */
export function tokenMessage(card: SavedCard, change: string, hooks: Hooks, after: number): Message {
  const happens = (): void => {
    if (change === 'updated') renew(card);
  };
  const state = change === 'updated' ? 'active' : change;
  const members = () => {
    const { handle, brand, last4, expires } = card;
    return { token: { handle, state, brand, last4, expires } };
  };
  return hooks.event(`token.${change}`, card.handle, members, { after, happens });
}
