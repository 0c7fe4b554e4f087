/** The results of a pay: decided by its amount, or by the payer's action in the wallet. */
import type { AmountRule } from '@paywright/contract/sandbox';
import type { statuses } from '../statuses.ts';

export type Phase = keyof typeof statuses.payment;

/** One change of a pay. */
export interface Step {
  readonly phase: Phase;
  /** Total share of the requested coins received by then; if left out, unchanged. */
  readonly share?: string;
  /** If left out, unchanged. */
  readonly confs?: number;
  readonly why?: string;
}

/** The usual steps to each phase. */
export const steps: Readonly<Record<Phase, Step>> = {
  awaiting: { phase: 'awaiting' },
  seen: { phase: 'seen', share: '1', confs: 0 },
  confirming: { phase: 'confirming', share: '1', confs: 1 },
  settling: { phase: 'settling', share: '1', confs: 2 },
  part: { phase: 'part', share: '0.6', confs: 1 },
  done: { phase: 'done', share: '1', confs: 3 },
  over: { phase: 'over', share: '1.25', confs: 3 },
  late: { phase: 'late', share: '1', confs: 3 },
  lapsed: { phase: 'lapsed' },
  void: { phase: 'void' },
  bad: { phase: 'bad', why: 'double_spend' },
};

const { seen, confirming, done, part, over, late, lapsed } = steps;
const share = '1.25';

/** The steps after each action of the payer. */
const scenarios = {
  pay: [seen, confirming, done],
  part: [part],
  over: [{ ...seen, share }, { ...confirming, share }, over],
  late: [lapsed, late],
  lapse: [lapsed],
  void: [steps.void],
} as const satisfies Readonly<Record<string, readonly Step[]>>;
export type Act = keyof typeof scenarios;

export const acts = Object.keys(scenarios) as readonly Act[];

/** The action of the payer if the tester does nothing. */
export function actOf(rule: AmountRule | undefined): Act {
  return (rule && byRule[rule]) ?? 'pay';
}

const byRule: { readonly [R in AmountRule]?: Act } = { '.60': 'part', '.61': 'over', '.62': 'late', '.63': 'lapse' };

/** The steps after an action; none if the pay has ended. A payment after the price expired is late. */
export function scenarioFor(phase: Phase, act: Act): readonly Step[] {
  if (phase === 'lapsed') return afterLapse[act] ?? [];
  return ended.includes(phase) ? [] : scenarios[act];
}

const ended: readonly Phase[] = ['done', 'over', 'late', 'void', 'bad'];
const afterLapse: { readonly [A in Act]?: readonly Step[] } = {
  pay: [late],
  late: [late],
  over: [{ ...late, share }],
};
