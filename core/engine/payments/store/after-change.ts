/**
 * What happens after a changed payment is stored: counters, alarms, the receipt, the relay of its notifications, and
 * waking the workers. Nothing here changes the facts of the payment. If the process dies first, the sweep relays the
 * outbox, and the next poll of a worker finds the due check.
 */
import type { Clear, Raise } from '../../alarms/index.ts';
import type { BackgroundTasks } from '../../../base/async/background-tasks.ts';
import type { Metrics } from '../../../base/metrics/index.ts';
import type { ReceiptMail } from '../present/receipt-mail.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { createCountChanges } from './count-changes.ts';
import type { Relay } from './outbox.ts';
import { createPaymentAlarms } from './raise-alarms.ts';

export interface AfterChangeDeps {
  readonly outbox: Pick<Relay, 'relay'>;
  readonly backgroundTasks: BackgroundTasks;
  readonly notifyWorkers: (work: 'reconcile') => void;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly clear: Clear;
  readonly metrics: Pick<Metrics, 'attemptsEnded' | 'payments' | 'accountLabel'>;
  readonly mailReceipt: ReceiptMail;
}

/** `before`: the payment before the change; undefined for a new payment request. */
export type AfterChange = (record: PaymentRecord, before: PaymentRecord | undefined) => void;

export function createAfterChange(deps: AfterChangeDeps): AfterChange {
  const { outbox, backgroundTasks, notifyWorkers, now, metrics, mailReceipt } = deps;
  const countChanges = createCountChanges(metrics);
  const raiseAlarms = createPaymentAlarms(deps);

  return function afterChange(record, before) {
    countChanges(record, before);
    raiseAlarms(record, before);
    mailReceipt(record, before);
    if (record.outbox.length)
      backgroundTasks.track('an outbox could not be relayed; the sweep will relay it', outbox.relay(record));
    if (record.nextCheckAt && record.nextCheckAt <= now()) notifyWorkers('reconcile');
  };
}
