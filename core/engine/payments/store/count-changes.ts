/** Counts the results of a change of a payment request. */
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Metrics } from '../../../base/metrics/index.ts';
import { statusLabels } from '../record/status-label.ts';
import { attemptsWithNewOutcome } from '../record/attempts-changed.ts';

type Counted = Pick<PaymentRecord, 'environment' | 'attempts' | 'transitions'>;

/** `before`: undefined for a new payment request. */
export function createCountChanges({
  attemptsEnded,
  payments,
  accountLabel,
}: Pick<Metrics, 'attemptsEnded' | 'payments' | 'accountLabel'>): (
  record: Counted,
  before: Counted | undefined,
) => void {
  return (record, before) => {
    const { environment: mode, transitions } = record;
    for (const { adapter: provider, account, outcome } of attemptsWithNewOutcome(record, before)) {
      if (outcome === 'open') continue;
      attemptsEnded.inc({ provider, account: accountLabel(provider, account), mode, outcome });
    }
    const steps = transitions.slice(before?.transitions.length ?? 0).map(({ to }) => to);
    const states = before ? steps : [status.created, ...steps];
    for (const state of states) payments.inc({ mode, outcome: statusLabels[state] });
  };
}
