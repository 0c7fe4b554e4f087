/** What becomes of an invoice: by its amount, or by what the payer does on its page. */

export type State = 'new' | 'seen' | 'processing' | 'partial' | 'settled' | 'expired' | 'cancelled' | 'invalid';
export type Flag = 'late' | 'over';

/** One change of an invoice. */
export interface Step {
  readonly state: State;
  /** Of the price, received in all by then; left out: as much as before. */
  readonly share?: string;
  readonly flags?: readonly Flag[];
  readonly reason?: string;
}

/** Each state as it usually comes. */
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

/** As an invoice is settled in some way. */
export function settled(...flags: readonly Flag[]): Step {
  return { ...steps.settled, flags, ...(flags.includes('over') ? { share: '1.25' } : {}) };
}

/** By what the payer does, or the store. */
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

/** What follows an act; nothing where the invoice has ended. */
export function scenarioFor(state: State, act: Act): readonly Step[] {
  if (state === 'expired') return afterExpiry[act] ?? [];
  return ended.includes(state) ? [] : scenarios[act];
}
