/** The behaviour of each UPI id. */

/** A state of the transaction, and its report. */
export interface Step {
  readonly state: 'PENDING' | 'DEEMED' | 'COMPLETED' | 'FAILED' | 'EXPIRED' | 'CANCELLED';
  /** The reason for `FAILED`. */
  readonly why?: string;
  /** The payment completed after the payer's time had expired. */
  readonly late?: true;
}

export interface Behaviour {
  /** The state in the answer. */
  readonly answer: Step;
  /** The reports in their order. The state changes with each report. */
  readonly reports: readonly Step[];
  readonly follows?: 'refund' | 'dispute';
  /** The connection is closed without an answer. */
  readonly silent?: true;
  /** Waits until someone uses the page. */
  readonly holds?: true;
}

const pending: Step = { state: 'PENDING' };
const deemed: Step = { state: 'DEEMED' };
const completed: Step = { state: 'COMPLETED' };
const failed = (why: string): Step => ({ state: 'FAILED', why });

const atOnce = (step: Step): Behaviour => ({ answer: step, reports: [step] });
const later = (...reports: readonly Step[]): Behaviour => ({ answer: pending, reports });

const behaviours: Readonly<Record<string, Behaviour>> = {
  'success@upi': atOnce(completed),
  'u30@upi': atOnce(failed('PIN_WRONG')),
  'u16@upi': atOnce(failed('RISK')),
  'u66@upi': atOnce(failed('DEVICE_UNBOUND')),
  'u69@upi': later(failed('PAYER_DECLINED')),
  'slowfail@upi': later(failed('NO_BALANCE')),
  'stuck@upi': later(),
  'deemed@upi': { answer: deemed, reports: [deemed, completed] },
  'deemedfail@upi': { answer: deemed, reports: [deemed, failed('RETURNED')] },
  'expire@upi': later({ state: 'EXPIRED' }),
  'cancel@upi': later({ state: 'CANCELLED' }),
  'late@upi': later({ state: 'EXPIRED' }, { ...completed, late: true }),
  'lost@upi': { ...atOnce(completed), silent: true },
  'refund@upi': { ...atOnce(completed), follows: 'refund' },
  'dispute@upi': { ...atOnce(completed), follows: 'dispute' },
  'hold@upi': { ...later(), holds: true },
};

/** Any other id, and an id that is not known yet, pays after a while. */
export function behaviourOf(vpa: string | undefined): Behaviour {
  const name = vpa?.toLowerCase() ?? '';
  return Object.hasOwn(behaviours, name) ? behaviours[name]! : later(completed);
}

/** The switch knows no such payer. */
export function isUnknown(vpa: string | undefined): boolean {
  return vpa?.toLowerCase() === 'unknown@upi';
}

/** The payer's choices on the page of `hold@upi`. */
export const decisions: Readonly<Record<'pass' | 'fail', Step>> = { pass: completed, fail: failed('PAYER_DECLINED') };
