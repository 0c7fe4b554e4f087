/**
 * The meaning of each kind of alarm, and what the operator must do. The table in `config/deploy/operations.md` repeats
 * these texts.
 */
import type { AlarmKind } from '../../database/collections/alarm.ts';

export interface AlarmMeaning {
  readonly meaning: string;
  readonly cure: string;
  /**
   * Only for conditions, which are raised again while they last. The alarm is resolved this many minutes after it was
   * last raised.
   */
  readonly passesAfterMinutes?: number;
}

/**
 * Minutes without a failure after which a process counts as healthy. They are longer than the gaps between crashes with
 * one cause, such as a payment that is retried after 5, 10 and 20 minutes. Such crashes stay one alarm, so that it is
 * still open when an operator checks at night.
 */
const processWellMinutes = 30;

export const alarmKinds: Readonly<Record<AlarmKind, AlarmMeaning>> = {
  adapter_versions_differ: {
    meaning: 'Hosts have run different versions of an adapter for half an hour.',
    cure: 'Finish the upgrade, or roll it back, on the hosts that the reason names.',
    passesAfterMinutes: 45,
  },
  backlog_old: {
    meaning:
      'Work in a queue has waited longer than alarms.backlogMinutes. Notifications that wait for a failing receiver do not count.',
    cure: 'Check that workers are running and that the database is fast: on the console’s Overview page, with GET /ready, or with paywright doctor. If both are fine, raise workers.count or add another host.',
    passesAfterMinutes: 5,
  },
  breaker_open: {
    meaning: 'A provider is unreachable. Payments are refused or sent to another provider; nothing is charged.',
    cure: 'Check the provider’s status page and the network of the hosts. The provider is retried automatically.',
    passesAfterMinutes: 10,
  },
  callback_dead_letter: {
    meaning: 'A verified callback could not be processed. It is kept as a dead letter.',
    cure: 'Read the reason and fix the cause. Then process the callback again: on its page in the console, with paywright inbox requeue, or by having the provider send it again.',
  },
  callback_of_other_mode: {
    meaning:
      'A callback was signed with the secret of the other mode: a test secret for a live payment, or a live secret for a test payment. It has no effect.',
    cure: 'Compare options and sandboxOptions of the adapter with the provider’s console. If they are correct, a sender signs with a test secret.',
  },
  callback_too_large: {
    meaning: 'A callback exceeds the size limit of its route, or has too many JSON values. It was not read.',
    cure: 'If the provider really sends such bodies, raise maxBodyBytes of the adapter’s route. Then have the provider send them again.',
  },
  callback_unreadable: {
    meaning: 'A verified callback could not be read. It is kept.',
    cure: 'The provider changed its format. Fix the adapter and test it with paywright replay. Then process the kept callbacks again: in the console, or with paywright inbox requeue.',
  },
  callbacks_refused: {
    meaning: 'All callbacks of an adapter are refused: their proof is wrong or missing, or their address is wrong.',
    cure: 'Compare the secret and the address in the provider’s console with paywright doctor. When a callback is accepted again, the alarm is resolved and the payments since the last genuine one are checked. To check them immediately, use paywright payments reconcile --since <time> --adapter <name>.',
  },
  capture_failed: {
    meaning:
      'The bank refused a payment that the provider had reported as captured. The payment is paid, but its money is missing.',
    cure: 'Read the reason in the provider’s console. Some providers capture again automatically. If yours does not, the merchant does not get the money: inform the merchant, who must ask the payer to pay again.',
  },
  charged_twice: {
    meaning: 'Customer charged twice: two attempts of one payment succeeded.',
    cure: 'Refund one charge: on the payment’s page in the console, or with paywright payments refund --charge. With payments.refundDoubleCharge, this happens automatically.',
  },
  clock_skew: {
    meaning: 'The clock of a host is wrong. The host accepts no requests.',
    cure: 'Correct the clock, and keep it correct with NTP.',
    passesAfterMinutes: 5,
  },
  database_slow: {
    meaning: 'The database takes half a second or longer to answer.',
    cure: 'Check the load and the disk of the database, and the network between it and the hosts. Providers resend the callbacks that are refused until then.',
    passesAfterMinutes: 5,
  },
  dispute_differs: {
    meaning:
      'A dispute is about more than was paid, or about another currency. It counts, and holds at most what was paid: no refund of that money is possible.',
    cure: 'Compare the dispute with the payment in the provider’s console. A small difference is usually an exchange rate. If the dispute is about another payment, ask the provider. The alarm is resolved when the dispute is won or reversed.',
  },
  endpoint_disabled: {
    meaning:
      'Webhook endpoint disabled: every notification to it failed for days. No notifications are sent to it any more.',
    cure: 'Inform the merchant. Once the endpoint works, enable it: on the merchant’s page in the console, with paywright endpoints enable, or by the merchant through a portal link. Enabling it sends the kept notifications.',
  },
  event_without_effect: {
    meaning:
      'A verified report of a provider about one of our payments does not fit it: another amount, currency or reference, or more than was authorised. It has no effect, or not its whole effect.',
    cure: 'Read the refused entry in the payment’s log, and compare the payment with the provider’s console. If money moved there, correct it at the provider or with the merchant. Then resolve the alarm.',
  },
  job_failed: {
    meaning: 'A worker job failed. It is retried automatically.',
    cure: 'Read the log lines “job failed” of this job, and fix the cause that they name.',
    passesAfterMinutes: 15,
  },
  key_unknown: {
    meaning: 'The encryption keys of a host cannot decrypt the database. The host accepts no requests.',
    cure: 'Give every host the same encryptionKeys, including earlier keys, until paywright secrets reencrypt has finished.',
    passesAfterMinutes: 5,
  },
  notification_unsigned: {
    meaning: 'Notifications to a merchant cannot be signed. They wait; no delivery attempt is counted.',
    cure: 'The webhook secret cannot be read; the log says why. Check the encryption keys with paywright doctor. To make a new secret, use the merchant’s page in the console or paywright secrets rotate.',
    passesAfterMinutes: 15,
  },
  notifications_exhausted: {
    meaning: 'Notifications to a merchant failed after all retries. They are kept.',
    cure: 'Tell the merchant how its receiver answers. Once the receiver works, send them again: in the console, or with paywright notifications resend.',
  },
  payment_ends_workers: {
    meaning: 'Status checks of a payment do not finish, or crash their workers. They continue less and less often.',
    cure: 'Read the log of the checks and fix the cause. Then check the payment immediately: on its page in the console, or with paywright payments reconcile.',
  },
  payment_underpaid: {
    meaning: 'Coins arrived that do not pay the payment. They belong to the payer until the rest arrives.',
    cure: 'Ask the merchant whether the payer sends the rest. Otherwise refund what came in: on the payment’s page in the console, or with paywright payments refund. Or mark the payment as reviewed on its page. The alarm is resolved when the payment is paid or the coins are refunded.',
  },
  payment_unresolved: {
    meaning: 'The outcome of a payment is still unknown after the last status check.',
    cure: 'Look up the attempt’s reference in the provider’s console. Then check the status again (on the payment’s page, or with paywright payments reconcile), or mark the payment as reviewed on its page. A callback can still settle it.',
  },
  process_failed: {
    meaning: 'A process crashed or hung and was restarted.',
    cure: 'Other processes redo its unfinished work. If it happens repeatedly, read the last log lines of the process and check the host. A process that does not answer is in an endless computation or gets no CPU time. A SIGKILL without a sender means that memory ran out.',
    passesAfterMinutes: processWellMinutes,
  },
  provider_misconfigured: {
    meaning: 'Provider rejects our credentials. Payments fail; nothing is charged.',
    cure: 'Correct the options of this adapter; paywright doctor says where to find their values. The alarm is resolved automatically when the provider accepts a call again. To resolve it immediately, check the account on the adapter’s page. Until then, drain the adapter on that page to keep payments away from it.',
  },
  refund_failed: {
    meaning: 'Refund failed permanently. The provider had accepted it, or it was in progress.',
    cure: 'The merchant still holds the money. Refund again, or return the money another way.',
  },
  refund_needs_merchant: {
    meaning:
      'A provider cannot send the money of a refund, for example because the payer’s card is closed. The merchant must send it.',
    cure: 'Ask the merchant to send the money by other means. Unless the provider reports the result, record it: on the payment’s page in the console, or with paywright payments refund --settle <refund> succeeded (or failed). Until then the amount counts as a refund in progress.',
  },
  refund_unresolved: {
    meaning: 'The outcome of a refund is unknown after ten checks. Checks continue once a day.',
    cure: 'Look up the refund’s reference in the provider’s console before you refund again.',
  },
  seen_refused: {
    meaning: 'A provider refuses our confirmation that its report is stored. The confirmation is not sent again.',
    cure: 'The payment is correct. If the provider’s console asks for it, confirm the report there.',
  },
  settlement_difference: {
    meaning: 'A provider’s settlement file differs from our payments.',
    cure: 'Read the differences on the console’s page Settlement. Clarify them with the provider, or correct them here. Then run paywright settle for the same period again: it resolves the alarm if nothing differs.',
  },
  status_unknown: {
    meaning: 'Unknown provider status: the adapter does not know it. It has no effect.',
    cure: 'Look up the status in the provider’s documentation, and add it to the adapter’s statuses. Then check the status again on the payment’s page, and resolve the alarm.',
  },
  three_ds_missing: {
    meaning: 'Payments that required 3D Secure succeeded without it, or the provider did not show it.',
    cure: 'The money has arrived, but the merchant may be liable for disputes. Ask the provider for the reason. If the provider never shows 3D Secure, declare that in the ways of the adapter.',
  },
};
