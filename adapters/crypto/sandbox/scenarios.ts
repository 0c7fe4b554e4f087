/** The course of an invoice: by its amount, or by the payer's action on its page. */

export type State = 'new' | 'seen' | 'processing' | 'partial' | 'settled' | 'expired' | 'cancelled' | 'invalid';
export type Flag = 'late' | 'over';

/** One change of an invoice. */
export interface Step {
  readonly state: State;
  /** The share of the price received by then. Unchanged by default. */
  readonly share?: string;
  readonly flags?: readonly Flag[];
  readonly reason?: string;
}

/** Each state in its usual form. */
export const steps: Readonly<Record<State, Step>> = {
  new: { state: 'new' },
  seen: { state: 'seen', share: '1' },
  processing: { state: 'processing', share: '1' },
  partial: { state: 'partial', share: '0.6' },
  settled: { state: 'settled', share: '1' },
  expired: { state: 'expired' },
  cancelled: { state: 'cancelled' },
  invalid: { state: 'invalid', share: '0', reason: 'double-spent' },
};

const { seen, processing, partial, expired, cancelled, invalid } = steps;

/** A settled invoice with the given flags. */
export function settled(...flags: readonly Flag[]): Step {
  return { ...steps.settled, flags, ...(flags.includes('over') ? { share: '1.25' } : {}) };
}

/** The steps after an action of the payer or the store. */
const scenarios = {
  pay: [seen, processing, settled()],
  part: [partial],
  over: [seen, processing, settled('over')],
  late: [expired, settled('late')],
  expire: [expired],
  invalid: [seen, invalid],
  cancel: [cancelled],
} as const satisfies Readonly<Record<string, readonly Step[]>>;
export type Act = keyof typeof scenarios;

export const acts = Object.keys(scenarios) as readonly Act[];

const ended: readonly State[] = ['settled', 'cancelled', 'invalid'];
const afterExpiry: { readonly [A in Act]?: readonly Step[] } = {
  pay: [settled('late')],
  late: [settled('late')],
  over: [settled('late', 'over')],
};

/** The steps after an action. Empty if the invoice has ended. */
export function scenarioFor(state: State, act: Act): readonly Step[] {
  if (state === 'expired') return afterExpiry[act] ?? [];
  return ended.includes(state) ? [] : scenarios[act];
}
