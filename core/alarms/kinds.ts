/** What each kind of alarm means, and what the operator does about it. */
import type { AlarmKind } from '../documents/alarm.ts';

export interface AlarmMeaning {
  readonly meaning: string;
  readonly cure: string;
}

export const alarmKinds: Readonly<Record<AlarmKind, AlarmMeaning>> = {
  callback_dead_letter: {
    meaning: 'A genuine callback could not be applied and is a dead letter.',
    cure: 'Read why, mend the cause, then let the provider send it again: its repetition is tried anew.',
  },
  callback_too_large: {
    meaning: 'A callback is larger than its route takes and was not read.',
    cure: 'Where the provider really sends such bodies, raise maxBodyBytes of the route in its adapter.',
  },
  callback_unreadable: {
    meaning: 'A genuine callback could not be read; it is kept.',
    cure: 'The provider changed its format: mend the adapter, then read what was kept with gateway replay.',
  },
  charged_twice: {
    meaning: 'A second attempt of a payment was charged too.',
    cure: 'Refund the later charge, by the API or in the provider’s console.',
  },
  payment_ends_workers: {
    meaning: 'Workers died time and again while they checked this payment.',
    cure: 'Read the log of the workers that ended, and look the payment up in the provider’s console.',
  },
  payment_unresolved: {
    meaning: 'The outcome of a payment is unknown after the last check.',
    cure: 'Look the payment up in the provider’s console.',
  },
  provider_misconfigured: {
    meaning: 'A provider refuses our account or keys.',
    cure: 'Check the options of this adapter; gateway doctor says where their values are found.',
  },
  refund_unresolved: {
    meaning: 'The outcome of a refund is unknown after many checks.',
    cure: 'Look the refund up in the provider’s console before anybody refunds again.',
  },
};
