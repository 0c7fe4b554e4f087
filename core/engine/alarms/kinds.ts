/**
 * The meaning of each kind of alarm, and what the operator must do. The table in `config/deploy/operations.md` repeats
 * these texts.
 */
import type { AlarmKind } from '../../database/collections/alarm.ts';
import { capitalise } from '../../base/text/capitalise.ts';

/** From the most to the least urgent. */
export const severities = ['critical', 'warning', 'info'] as const;

/**
 * - `critical`: money is wrong, or payments stop. Act now.
 * - `warning`: one payment, merchant or callback needs an operator. Act today.
 * - `info`: the service recovered automatically. Act if it happens repeatedly.
 */
export type Severity = (typeof severities)[number];

/** The severity of a kind that this version does not know. */
export const unknownSeverity: Severity = 'critical';

export interface AlarmMeaning {
  /** Names the problem in a few words, for lists and the subjects of mails. */
  readonly title: string;
  readonly severity: Severity;
  readonly meaning: string;
  /** The first step of the cure, in one sentence. */
  readonly nextStep: string;
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

/**
 * The meaning of an alarm, whatever its kind. A later version may have stored an alarm of a kind that this version does
 * not know. Such an alarm counts as the most urgent, because its urgency is unknown.
 */
export function meaningOf(kind: string): AlarmMeaning {
  if (Object.hasOwn(alarmKinds, kind)) return alarmKinds[kind as AlarmKind];
  const words = kind.replaceAll('_', ' ');
  return {
    title: capitalise(words),
    severity: unknownSeverity,
    meaning: `A later version of the gateway raised this alarm. This version does not know the kind ${kind}.`,
    nextStep: 'Read the reason of the alarm.',
    cure: 'Open the alarm in the console of a host that runs the later version, or finish the upgrade of this host.',
  };
}

export const alarmKinds: Readonly<Record<AlarmKind, AlarmMeaning>> = {
  adapter_versions_differ: {
    title: 'Hosts run different adapter versions',
    severity: 'warning',
    nextStep: 'Finish the upgrade, or roll it back, on the hosts that the reason names.',
    meaning: 'Hosts have run different versions of an adapter for half an hour.',
    cure: 'Finish the upgrade, or roll it back, on the hosts that the reason names.',
    passesAfterMinutes: 45,
  },
  backlog_old: {
    title: 'Work is piling up in a queue',
    severity: 'critical',
    nextStep: 'Check that workers are running and that the database is fast, with paywright doctor.',
    meaning:
      'Work in a queue has waited longer than alarms.backlogMinutes. Notifications that wait for a failing receiver do not count.',
    cure: 'Check that workers are running and that the database is fast: on the console’s Overview page, with GET /ready, or with paywright doctor. If both are fine, raise workers.count or add another host.',
    passesAfterMinutes: 5,
  },
  breaker_open: {
    title: 'Provider unreachable',
    severity: 'critical',
    nextStep: 'Check the provider’s status page and the network of the hosts.',
    meaning: 'A provider is unreachable. Payments are refused or sent to another provider; nothing is charged.',
    cure: 'Check the provider’s status page and the network of the hosts. The provider is retried automatically. The alarm is resolved when a call reaches the provider. To resolve it without a payment, check the connection on the adapter’s page.',
  },
  callback_dead_letter: {
    title: 'Callback couldn’t be processed',
    severity: 'warning',
    nextStep: 'Open the callback and read why it could not be applied.',
    meaning: 'A verified callback could not be processed. It is kept as a dead letter.',
    cure: 'Read the reason and fix the cause. Then process the callback again: on its page in the console, with paywright inbox requeue, or by having the provider send it again.',
  },
  callback_of_other_account: {
    title: 'Callback proven by another account',
    severity: 'warning',
    nextStep: 'Compare the callback address and the secrets of the two accounts with the provider’s console.',
    meaning:
      'One account of a provider proved a report about a payment of another account. The report has no effect: an account proves only its own payments.',
    cure: 'Read the payment in the alarm, and compare callback address and secrets of both accounts with the provider’s console. Each account needs its own address and its own secret. If they are correct, the sender has the secret of the other account.',
  },
  callback_of_other_mode: {
    title: 'Callback signed with the secret of the other mode',
    severity: 'warning',
    nextStep: 'Compare options and sandboxOptions of the adapter with the provider’s console.',
    meaning:
      'A callback was signed with the secret of the other mode: a test secret for a live payment, or a live secret for a test payment. It has no effect.',
    cure: 'Compare options and sandboxOptions of the adapter with the provider’s console. If they are correct, a sender signs with a test secret.',
  },
  callback_too_large: {
    title: 'Callback too large',
    severity: 'warning',
    nextStep: 'Ask the provider whether it sends such bodies, then raise maxBodyBytes of the route.',
    meaning: 'A callback exceeds the size limit of its route, or has too many JSON values. It was not read.',
    cure: 'If the provider really sends such bodies, raise maxBodyBytes of the adapter’s route. Then have the provider send them again.',
  },
  callback_unreadable: {
    title: 'Callback couldn’t be read',
    severity: 'warning',
    nextStep: 'Compare the kept callback with the provider’s documentation, and fix the adapter.',
    meaning: 'A verified callback could not be read. It is kept.',
    cure: 'The provider changed its format. Fix the adapter and test it with paywright replay. Then process the kept callbacks again: in the console, or with paywright inbox requeue.',
  },
  callbacks_refused: {
    title: 'All callbacks of a provider are refused',
    severity: 'critical',
    nextStep: 'Compare the callback secret and address in the provider’s console with paywright doctor.',
    meaning: 'All callbacks of an adapter are refused: their proof is wrong or missing, or their address is wrong.',
    cure: 'Compare the secret and the address in the provider’s console with paywright doctor. When a callback is accepted again, the alarm is resolved and the payments since the last genuine one are checked. To check them immediately, use paywright payments reconcile --since <time> --adapter <name>.',
  },
  capture_failed: {
    title: 'Captured money did not arrive',
    severity: 'critical',
    nextStep: 'Read the reason in the provider’s console.',
    meaning:
      'The bank refused a payment that the provider had reported as captured. The payment is paid, but its money is missing.',
    cure: 'Read the reason in the provider’s console. Some providers capture again automatically. If yours does not, the merchant does not get the money: inform the merchant, who must ask the payer to pay again.',
  },
  charged_twice: {
    title: 'Customer charged twice',
    severity: 'critical',
    nextStep: 'Refund one of the charges on the payment’s page.',
    meaning: 'Customer charged twice: two attempts of one payment succeeded.',
    cure: 'Refund one charge: on the payment’s page in the console, or with paywright payments refund --charge. With payments.refundDoubleCharge, the later charge is refunded automatically.',
  },
  clock_skew: {
    title: 'Clock of a host is wrong',
    severity: 'critical',
    nextStep: 'Correct the clock of the host, and keep it correct with NTP.',
    meaning: 'The clock of a host is wrong. The host accepts no requests.',
    cure: 'Correct the clock, and keep it correct with NTP.',
    passesAfterMinutes: 5,
  },
  database_slow: {
    title: 'Database is slow',
    severity: 'warning',
    nextStep: 'Check the load and the disk of the database, and the network to it.',
    meaning: 'The database takes half a second or longer to answer.',
    cure: 'Check the load and the disk of the database, and the network between it and the hosts. Providers resend the callbacks that are refused until then.',
    passesAfterMinutes: 5,
  },
  dispute_differs: {
    title: 'Dispute does not match the payment',
    severity: 'warning',
    nextStep: 'Compare the dispute with the payment in the provider’s console.',
    meaning:
      'A dispute is about more than was paid, or about another currency. It counts, and holds at most what was paid: no refund of that money is possible.',
    cure: 'Compare the dispute with the payment in the provider’s console. A small difference is usually an exchange rate. If the dispute is about another payment, ask the provider. The alarm is resolved when the dispute is won or reversed.',
  },
  endpoint_disabled: {
    title: 'Webhook endpoint disabled after repeated failures',
    severity: 'warning',
    nextStep: 'Inform the merchant, then enable the endpoint on the merchant’s page.',
    meaning:
      'Webhook endpoint disabled: every notification to it failed for as long as notifications.disableEndpointAfterDays says. No notifications are sent to it any more.',
    cure: 'Inform the merchant. Once the endpoint works, enable it: on the merchant’s page in the console, with paywright endpoints enable, or by the merchant through a portal link. Enabling it sends the kept notifications.',
  },
  event_without_effect: {
    title: 'Provider’s report does not match the payment',
    severity: 'warning',
    nextStep: 'Read the refused entry in the payment’s timeline, and compare it with the provider’s console.',
    meaning:
      'A verified report of a provider about one of our payments does not fit it: another amount, currency or reference, or more than was authorised. It has no effect, or not its whole effect.',
    cure: 'Read the refused entry in the payment’s log, and compare the payment with the provider’s console. If money moved there, correct it at the provider or with the merchant. Then resolve the alarm.',
  },
  job_failed: {
    title: 'Worker job failed',
    severity: 'warning',
    nextStep: 'Read the log lines “job failed” of this job.',
    meaning: 'A worker job failed. It is retried automatically.',
    cure: 'Read the log lines “job failed” of this job, and fix the cause that they name.',
    passesAfterMinutes: 15,
  },
  key_unknown: {
    title: 'Encryption key missing on a host',
    severity: 'critical',
    nextStep: 'Give the host the same encryptionKeys as the other hosts.',
    meaning: 'The encryption keys of a host cannot decrypt the database. The host accepts no requests.',
    cure: 'Give every host the same encryptionKeys, including earlier keys, until paywright secrets reencrypt has finished.',
    passesAfterMinutes: 5,
  },
  notification_unsigned: {
    title: 'Webhooks to a merchant cannot be signed',
    severity: 'critical',
    nextStep: 'Check the encryption keys with paywright doctor.',
    meaning: 'Notifications to a merchant cannot be signed. They wait; no delivery attempt is counted.',
    cure: 'The webhook secret cannot be read; the log says why. Check the encryption keys with paywright doctor. To make a new secret, use the merchant’s page in the console or paywright secrets rotate.',
    passesAfterMinutes: 15,
  },
  notifications_exhausted: {
    title: 'Webhooks to a merchant failed after all retries',
    severity: 'warning',
    nextStep: 'Open the failed notifications, and tell the merchant how its receiver answers.',
    meaning: 'Notifications to a merchant failed after all retries. They are kept.',
    cure: 'Tell the merchant how its receiver answers. Once the receiver works, send them again: in the console, or with paywright notifications resend.',
  },
  payment_ends_workers: {
    title: 'Status checks of a payment crash their workers',
    severity: 'warning',
    nextStep: 'Read the log lines of the checks of this payment.',
    meaning: 'Status checks of a payment do not finish, or crash their workers. They continue less and less often.',
    cure: 'Read the log of the checks and fix the cause. Then check the payment immediately: on its page in the console, or with paywright payments reconcile.',
  },
  payment_underpaid: {
    title: 'Coins received do not pay the payment',
    severity: 'warning',
    nextStep: 'Ask the merchant whether the payer sends the rest.',
    meaning: 'Coins arrived that do not pay the payment. They belong to the payer until the rest arrives.',
    cure: 'Ask the merchant whether the payer sends the rest. Otherwise refund what came in: on the payment’s page in the console, or with paywright payments refund. Or record what was agreed: mark the payment as reviewed, on its page or with paywright payments review. The alarm is resolved when the payment is paid or reviewed, or the coins are refunded.',
  },
  payment_unresolved: {
    title: 'Payment outcome unknown',
    severity: 'warning',
    nextStep: 'Look up the attempt’s reference in the provider’s console.',
    meaning: 'The outcome of a payment is still unknown after the last status check.',
    cure: 'Look up the attempt’s reference in the provider’s console. Then check the status again (on the payment’s page, or with paywright payments reconcile), or mark the payment as reviewed (on its page, or with paywright payments review). A callback can still settle it.',
  },
  process_failed: {
    title: 'Process crashed or hung and was restarted',
    severity: 'info',
    nextStep: 'If it happens repeatedly, read the last log lines of the process.',
    meaning: 'A process crashed or hung and was restarted.',
    cure: 'Other processes redo its unfinished work. If it happens repeatedly, read the last log lines of the process and check the host. A process that does not answer is in an endless computation or gets no CPU time. A SIGKILL without a sender means that memory ran out.',
    passesAfterMinutes: processWellMinutes,
  },
  provider_misconfigured: {
    title: 'Provider rejects our credentials',
    severity: 'critical',
    nextStep: 'Correct the credentials of this adapter in config, then restart.',
    meaning: 'Provider rejects our credentials. Payments fail; nothing is charged.',
    cure: 'Correct the options of this adapter; paywright doctor says where to find their values. The alarm is resolved automatically when the provider accepts a call again. To resolve it immediately, check the account on the adapter’s page. Until then, drain the adapter on that page to keep payments away from it.',
  },
  refund_failed: {
    title: 'Refund failed',
    severity: 'warning',
    nextStep: 'Read the reason on the payment’s page, then refund again.',
    meaning: 'Refund failed permanently. The provider had accepted it, or it was in progress.',
    cure: 'The merchant still holds the money. Refund again, or return the money another way.',
  },
  refund_needs_merchant: {
    title: 'Merchant must send a refund',
    severity: 'warning',
    nextStep: 'Ask the merchant to send the money by other means.',
    meaning:
      'A provider cannot send the money of a refund, for example because the payer’s card is closed. The merchant must send it.',
    cure: 'Ask the merchant to send the money by other means. Unless the provider reports the result, record it: on the payment’s page in the console, or with paywright payments refund --settle <refund> succeeded (or failed). Until then the amount counts as a refund in progress.',
  },
  refund_unresolved: {
    title: 'Refund outcome unknown',
    severity: 'warning',
    nextStep: 'Look up the refund’s reference in the provider’s console.',
    meaning: 'The outcome of a refund is unknown after ten checks. Checks continue once a day.',
    cure: 'Look up the refund’s reference in the provider’s console before you refund again.',
  },
  seen_refused: {
    title: 'Provider refuses our confirmation of a report',
    severity: 'info',
    nextStep: 'Confirm the report in the provider’s console, if it asks for that.',
    meaning: 'A provider refuses our confirmation that its report is stored. The confirmation is not sent again.',
    cure: 'The payment is correct. If the provider’s console asks for it, confirm the report there.',
  },
  settlement_difference: {
    title: 'Settlement file differs from our payments',
    severity: 'warning',
    nextStep: 'Read the differences on the Settlement page.',
    meaning: 'A provider’s settlement file differs from our payments.',
    cure: 'Read the differences on the console’s page Settlement. Clarify them with the provider, or correct them here. Then compare a file of the same period again, on that page or with paywright settle: if nothing differs, the alarm is resolved.',
  },
  status_unknown: {
    title: 'Unknown provider status',
    severity: 'warning',
    nextStep: 'Look up the status in the provider’s documentation.',
    meaning: 'Unknown provider status: the adapter does not know it. It has no effect.',
    cure: 'Look up the status in the provider’s documentation, and add it to the adapter’s statuses. Then check the status again on the payment’s page, and resolve the alarm.',
  },
  three_ds_missing: {
    title: 'Payment succeeded without 3D Secure',
    severity: 'warning',
    nextStep: 'Ask the provider why 3D Secure is missing.',
    meaning: 'Payments that required 3D Secure succeeded without it, or the provider did not show it.',
    cure: 'The money has arrived, but the merchant may be liable for disputes. Ask the provider for the reason. If the provider never shows 3D Secure, declare that in the ways of the adapter.',
  },
};
