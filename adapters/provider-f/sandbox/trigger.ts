/** Pings on demand. The deal changes first; an unknown deal is created from the given facts. */
import {
  addDecimals,
  payPage,
  type CallbackReply,
  type SandboxSetup,
  type Trigger,
  type TriggerCauses,
} from '@paywright/contract';
import { newId, sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { statuses } from '../statuses.ts';
import { change, openDeal, type Change, type Deal, type Deals } from './deals.ts';
import type { Pings } from './pings.ts';

const phases = Object.keys(statuses.payment) as Deal['phase'][];
const claims = Object.keys(statuses.chargeback) as Exclude<Deal['claim'], 'none'>[];

/** A bare ping, and every change that a ping may be about. */
export const events: readonly string[] = ['ping', ...phases, 'returned', ...claims.map((claim) => `claim ${claim}`)];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'open',
  'payment.authorised': 'held',
  'payment.succeeded': 'settled',
  'payment.failed': 'dropped',
  'payment.expired': 'lapsed',
  'payment.refunded': 'returned',
  'payment.charged_back': 'claim open',
  'payment.chargeback_reversed': 'claim reversed',
};

export function createTrigger(
  { publicUrl }: SandboxSetup<Options>,
  deals: Deals,
  pings: Pings,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  /** The deal that the facts name. */
  function find({ reference, providerReference }: Trigger): Deal | undefined {
    return providerReference === null ? deals.byRef(reference) : deals.byId(providerReference);
  }

  function open({ reference: ref, providerReference, money: gross }: Trigger): Deal {
    const deal = openDeal({
      ...(providerReference === null ? {} : { id: providerReference }),
      ref,
      gross,
      backUrl: payPage(publicUrl, ref) ?? publicUrl,
      // A refunded or disputed deal was paid before.
      phase: 'settled',
    });
    deals.keep(deal);
    return deal;
  }

  return async (trigger) => {
    const { event, forge, providerReference } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const known = find(trigger);
    let id = known?.id ?? providerReference ?? newId('d_', 12);
    if (event !== 'ping' && !forge) {
      const deal = known ?? open(trigger);
      change(deal, changeOf(deal, trigger));
      ({ id } = deal);
    }
    return sendOnDemand({ request: ({ forged }) => pings.request(id, forged) }, trigger);
  };
}

function changeOf({ returned }: Deal, { event, money }: Trigger): Change {
  if (event === 'returned') {
    const total = addDecimals(returned, money.amount);
    return { returned: total, asked: total };
  }
  const claim = claims.find((one) => event === `claim ${one}`);
  if (claim) return { claim, clawed: claim === 'open' || claim === 'lost' ? money.amount : '0' };
  const phase = phases.find((one) => one === event)!;
  return { phase, gross: money, ...(phase === 'dropped' ? { why: 'wallet_refused' } : {}) };
}
