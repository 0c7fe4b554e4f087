/** F's deals: the state of each deal, and its changes. */
import { addDecimals, formatAmount, subtractDecimals, type Money } from '@paywright/contract';
import { BoundedMap, newId, type AmountRule } from '@paywright/contract/sandbox';
import type { DealState } from './behaviour.ts';

export interface Deal {
  readonly id: string;
  readonly ref: string;
  readonly rule: AmountRule | undefined;
  readonly backUrl: string;
  readonly hasPage: boolean;
  gross: Money;
  phase: DealState['phase'];
  why: string | null;
  /** Refunds requested and done, in `gross.currency`. */
  asked: string;
  returned: string;
  clawed: string;
  claim: 'none' | 'open' | 'won' | 'lost' | 'reversed';
  mark: number;
  /** The last mark that the gateway has seen. */
  seen: number;
  changedAt: Date;
}

export interface Opening extends DealState {
  readonly id?: string;
  readonly ref: string;
  readonly gross: Money;
  readonly rule?: AmountRule | undefined;
  readonly backUrl: string;
  readonly hasPage?: boolean;
}

export function openDeal({ id, ref, gross, rule, backUrl, hasPage = false, phase, why }: Opening): Deal {
  return {
    id: id ?? newId('d_', 12),
    ref,
    rule,
    backUrl,
    hasPage,
    gross,
    phase,
    why: why ?? null,
    asked: '0',
    returned: '0',
    clawed: '0',
    claim: 'none',
    mark: 1,
    seen: 0,
    changedAt: new Date(),
  };
}

export type Change = Partial<Pick<Deal, 'gross' | 'asked' | 'returned' | 'clawed' | 'claim'>> & Partial<DealState>;

export function change(deal: Deal, { why, ...facts }: Change): void {
  Object.assign(deal, facts, { mark: deal.mark + 1, changedAt: new Date() });
  if (facts.phase !== undefined) deal.why = why ?? null;
}

/** The deal in F's format. */
export function presentDeal(deal: Deal, shop: string, baseUrl: string): Readonly<Record<string, unknown>> {
  const { id, ref, gross, phase, why, returned, clawed, claim, mark, changedAt } = deal;
  const spelled = (amount: string): string => formatAmount({ ...gross, amount });
  return {
    id,
    shop,
    ref,
    phase,
    mark,
    gross: { v: spelled(gross.amount), c: gross.currency },
    returned: spelled(returned),
    clawed: spelled(clawed),
    claim,
    why,
    at: changedAt.toISOString().replace(/\.\d+/, ''),
    ...(phase === 'open' && deal.hasPage ? { goTo: `${baseUrl}/wallet/${id}` } : {}),
  };
}

/** The amount whose refund can still be requested. */
export function leftOf({ phase, gross, asked, clawed }: Deal): string {
  return phase === 'settled' ? subtractDecimals(gross.amount, addDecimals(asked, clawed)) : '0';
}

export interface Deals {
  keep(deal: Deal): void;
  byId(id: string): Deal | undefined;
  byRef(ref: string): Deal | undefined;
}

export function createDeals(): Deals {
  const ids = new BoundedMap<string, Deal>();
  const refs = new BoundedMap<string, Deal>();
  return {
    keep(deal) {
      ids.set(deal.id, deal);
      refs.set(deal.ref, deal);
    },
    byId: (id) => ids.get(id),
    byRef: (ref) => refs.get(ref),
  };
}
