/**
 * The meaning of each kind of alarm, and what the operator does about it. `config/deploy/operations.md` lists the same.
 */
import type { AlarmKind } from '../../database/collections/alarm.ts';

export interface AlarmMeaning {
  readonly meaning: string;
  readonly cure: string;
  /**
   * For a condition, which is raised again as long as it lasts: the minutes after the last time until it is resolved.
   */
  readonly passesAfterMinutes?: number;
}

/**
 * The minutes without a failure after which a process is well. A cause that kills processes again and again, such as
 * a payment that is tried after 5, 10 and 20 minutes, stays one alarm, which is still open when an operator looks at
 * night.
 */
const processWellMinutes = 30;

export const alarmKinds: Readonly<Record<AlarmKind, AlarmMeaning>> = {
  adapter_versions_differ: {
    meaning: 'An adapter has run in several versions on the hosts for half an hour.',
    cure: 'Finish the upgrade, or take it back, on the hosts that the reason names.',
    passesAfterMinutes: 45,
  },
  backlog_old: {
    meaning:
      'What waits in a queue is older than alarms.backlogMinutes; what waits for a merchant whose receiver fails is not meant.',
    cure: 'Look whether workers are up and the database is quick: the console’s page Now, GET /ready, paywright doctor. More of them: workers.count, or another host.',
    passesAfterMinutes: 5,
  },
  breaker_open: {
    meaning: 'A provider cannot be reached: payments are refused or routed elsewhere, and nothing is charged.',
    cure: 'Look at the provider’s status page and at the network of the hosts. It is retried automatically.',
    passesAfterMinutes: 10,
  },
  callback_dead_letter: {
    meaning: 'A genuine callback could not be applied and is a dead letter.',
    cure: 'Read the reason, fix the cause, then apply it again: on its page in the console, by paywright inbox requeue, or by letting the provider send it again.',
  },
  callback_of_other_mode: {
    meaning:
      'A callback was proven by the other side: the sandbox’s for a live payment, or the reverse. It changes nothing.',
    cure: 'Compare options and sandboxOptions of the adapter with the provider’s console. If they are right, a sender signs with a test secret.',
  },
  callback_too_large: {
    meaning: 'A callback is larger than its route takes, or holds more JSON values, and was not read.',
    cure: 'Where the provider really sends such bodies, raise maxBodyBytes of the adapter’s route, then let it send them again.',
  },
  callback_unreadable: {
    meaning: 'A genuine callback could not be read; it is kept.',
    cure: 'The provider changed its format: fix the adapter, try it with paywright replay, then apply what is kept again: in the console, or by paywright inbox requeue.',
  },
  capture_failed: {
    meaning: 'The bank refused money that the provider had called collected: a paid payment lacks it.',
    cure: 'Read why in the provider’s console: some collect again automatically. Else the merchant is not paid: tell it, and ask the payer again.',
  },
  charged_twice: {
    meaning: 'Two attempts of one payment succeeded.',
    cure: 'Refund the amount of one of them, on the payment’s page in the console: it goes to one provider. payments.refundDoubleCharge does it automatically.',
  },
  clock_skew: {
    meaning: 'The clock of a host is wrong; the host takes no requests.',
    cure: 'Set it right, and keep it so with NTP.',
    passesAfterMinutes: 5,
  },
  database_slow: {
    meaning: 'The database takes half a second and more to answer.',
    cure: 'Look at its load, its disk and the network between. What is refused meanwhile is sent again by providers.',
    passesAfterMinutes: 5,
  },
  endpoint_disabled: {
    meaning: 'Every notification to an address of a merchant failed for days; nothing is sent to it any more.',
    cure: 'Tell the merchant. Once its address works, enable it, which sends what was kept: on the merchant’s page in the console, by paywright endpoints enable, or by the merchant itself through a link to its portal.',
  },
  job_failed: {
    meaning: 'A job of the workers failed; it is retried automatically.',
    cure: 'Read the log lines “job failed” of this job, and fix what they name.',
    passesAfterMinutes: 15,
  },
  key_unknown: {
    meaning: 'The encryption keys of a host do not open the database; the host takes no requests.',
    cure: 'Give every host the same encryptionKeys, earlier ones included, until paywright secrets reencrypt is through.',
    passesAfterMinutes: 5,
  },
  notification_unsigned: {
    meaning: 'Notifications to a merchant cannot be signed; they wait, and no attempt is counted.',
    cure: 'Read why in the log: the webhook secret cannot be read. paywright doctor checks the encryption keys; the merchant’s page in the console, or paywright secrets rotate, makes a new secret.',
    passesAfterMinutes: 15,
  },
  notifications_exhausted: {
    meaning: 'Notifications to a merchant had all their attempts, and were not delivered; they are kept.',
    cure: 'Tell the merchant what its receiver answers; once it works, send them again: in the console, or by paywright notifications resend.',
  },
  payment_ends_workers: {
    meaning: 'Checks of a payment end without a result, or end their workers; they go on, ever less often.',
    cure: 'Read the log of the checks, fix the cause, then check it immediately: on the payment’s page in the console, or by paywright payments reconcile.',
  },
  payment_unresolved: {
    meaning: 'The outcome of a payment is unknown after the last check.',
    cure: 'Look the attempt’s reference up in the provider’s console, then ask the provider again (on the payment’s page, or by paywright payments reconcile), or mark it reviewed there. A callback still settles it.',
  },
  process_failed: {
    meaning: 'A process of a host died, or did not answer and was ended; it is replaced.',
    cure: 'What it had begun is done again by others. Where it repeats, read its last lines in the log, and look at the host: no answer is an endless computation or no CPU; a SIGKILL without a sender means no memory.',
    passesAfterMinutes: processWellMinutes,
  },
  provider_misconfigured: {
    meaning: 'A provider refuses our account or keys; nothing is charged meanwhile.',
    cure: 'Correct the options of this adapter; paywright doctor says where their values are found. The alarm is resolved automatically once the provider accepts a call again, or immediately by checking the account on the adapter’s page; until then, draining it there keeps payments away.',
  },
  refund_failed: {
    meaning: 'A refund that the provider had accepted, or that was in progress, failed permanently.',
    cure: 'The merchant still holds the money: refund again, or have it returned another way.',
  },
  refund_unresolved: {
    meaning: 'The outcome of a refund is unknown after ten checks; they go on daily.',
    cure: 'Look the refund’s reference up in the provider’s console before you refund again.',
  },
  seen_refused: {
    meaning: 'A provider does not take our notice that its report is stored; it is not sent again.',
    cure: 'The payment is as it should be. Confirm the report in the provider’s console, where it asks for that.',
  },
  settlement_difference: {
    meaning: 'The settlement file of a provider and our payments differ.',
    cure: 'Look at the differences (the console’s page Settlement), settle them with the provider or correct them here, then run paywright settle for the same span again: it resolves the alarm once nothing differs.',
  },
  status_unknown: {
    meaning: 'A provider names a status that its adapter does not know; it changes nothing.',
    cure: 'Look the word up in the provider’s documentation, and add it to the adapter’s statuses. Then ask the provider again on the payment’s page, and resolve the alarm.',
  },
  three_ds_missing: {
    meaning: 'Payments that demanded 3D Secure succeeded without it, or nothing shows it.',
    cure: 'The money is there, and the liability may be the merchant’s. Ask the provider why; where it never shows 3D Secure, say so in the ways of the adapter.',
  },
};
