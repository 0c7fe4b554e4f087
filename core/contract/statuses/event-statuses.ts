/**
 * Every status that an event may have, by its kind, with its meaning in one sentence. Types, the loader's checks and
 * docs/statuses.md follow this table.
 */
export const statusMeanings = {
  payment: {
    authorised: 'The bank reserved the money; it is collected by a capture, or released.',
    pending: 'Nothing is decided yet; the payment request stays pending.',
    succeeded: 'The payer was charged; the payment request is paid.',
    failed: 'The payment was refused and charged nothing; the payer may try again.',
    expired: 'The payer did not finish in time, and nothing was charged.',
    cancelled: 'The payer gave up, and nothing was charged; it counts as failed, without a decline code.',
    underpaid: 'The payer sent less than the amount; the payment request stays pending.',
    overpaid: 'More came in than was asked for; the payment request is paid, and the log notes the rest.',
    late: 'The money came after the end of the time to pay; the payment request is paid, and marked so.',
  },
  refund: {
    pending: 'The provider accepted the refund and has not sent the money yet.',
    needs_merchant: 'The provider cannot send the money; the merchant has to send it by other means.',
    succeeded: 'The money of this refund went back to the payer.',
    failed: 'The refund was refused; the money stays with the merchant.',
    reversed: 'The money of the refund came back; the refunded sum falls again.',
  },
  chargeback: {
    opened: 'The payer disputes the charge; the payment counts as charged back.',
    won: 'The dispute ended for the merchant; the payment is no longer charged back.',
    lost: 'The dispute ended for the payer; the payment stays charged back.',
    reversed: 'The dispute was withdrawn, or its result undone; the payment is no longer charged back.',
  },
  '3ds': {
    pending: 'A 3D Secure step ended; its result is known after the step is completed with the provider.',
  },
  token: {
    active: 'The card token can be charged.',
    suspended: 'The card token cannot be charged at the moment.',
    deleted: 'The card token was deleted permanently.',
    updated: 'The card behind the token was replaced or renewed.',
  },
  ping: {
    pending: 'Something happened to the payment; only a status fetch says what.',
  },
} as const;

export type EventKind = keyof typeof statusMeanings;
/** Every status of each kind. */
export type StatusesByKind = { [K in EventKind]: keyof (typeof statusMeanings)[K] };
/**
 * The statuses that each kind has had since 2.0, so that an exhaustive `switch` of an adapter stays exhaustive. A table
 * may map to those of `StatusesByKind`.
 */
export type EventStatuses = { [K in EventKind]: Exclude<StatusesByKind[K], 'needs_merchant'> };
/** `unknown`: a status that the provider's table lacks. It is acknowledged, stored and counted, and changes nothing. */
export type EventStatus = StatusesByKind[EventKind] | 'unknown';

export const eventKinds = Object.keys(statusMeanings) as EventKind[];
/** The statuses of each kind, as lists. */
export const statusesByKind = Object.fromEntries(
  eventKinds.map((kind) => [kind, Object.keys(statusMeanings[kind])]),
) as unknown as { readonly [K in EventKind]: readonly StatusesByKind[K][] };
