/** The meaning of A's statuses and decline codes. Each kind of message has its own statuses. */
import { statusTable, type DeclineCode } from '@paywright/contract';

/** Decline codes by `why`. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  REFUSED: '05',
  FUNDS: '51',
  EXPIRED_CARD: '54',
  NOT_PERMITTED: '57',
  LIMIT: '61',
  BAD_CVC: '05',
  AUTH3DS: '05',
  ABANDONED: '05',
};

/** Entries of a batch: `what:good`. */
export const batchStatuses = {
  payment: {
    'AUTH:true': 'authorised',
    'AUTH:false': 'failed',
    'CAPTURE:true': 'succeeded',
    'CAPTURE:false': 'failed',
    'VOID:true': 'cancelled',
    'VOID:false': 'authorised',
    'EXPIRE:true': 'expired',
    'EXPIRE:false': 'authorised',
  },
  refund: { 'REFUND:true': 'succeeded', 'REFUND:false': 'failed' },
} as const;

/** The `state` of a refund notice. */
export const noticeStatuses = { queued: 'pending', done: 'succeeded', failed: 'failed', reversed: 'reversed' } as const;

/** The `stage` of a dispute. `retrieval` is only a question and creates no event. */
export const disputeStatuses = { opened: 'opened', won: 'won', lost: 'lost', reversed: 'reversed' } as const;

/** The `auth` of a return from 3D Secure. Each value is a hint, including `N`. */
export const returnStatuses = { Y: 'pending', A: 'pending', N: 'pending', U: 'pending', R: 'pending' } as const;

const callback = {
  payment: batchStatuses.payment,
  refund: { ...batchStatuses.refund, ...noticeStatuses },
  chargeback: disputeStatuses,
  '3ds': returnStatuses,
} as const;

/** The `state` of a charge, and the additions of a status answer. */
const fetch = {
  payment: {
    OK: 'succeeded',
    HOLD: 'authorised',
    NO: 'failed',
    VOID: 'cancelled',
    EXPIRED: 'expired',
    WAIT: 'pending',
    STEP_UP: 'pending',
  },
  refund: { returned: 'succeeded' },
  chargeback: { disputed: 'opened' },
} as const;

// A refund notice has only its own statuses, not those of a batch.
export const mapStatus = statusTable({ callback, fetch }, (status, { providerStatus, facts }) =>
  facts?.['isNotice'] === true && !Object.hasOwn(noticeStatuses, providerStatus) ? 'unknown' : status,
);

/** A reports one refund in a batch and in a notice. Both have one identity: the refund's id and its result. */
export function refundIdentity(id: string, providerStatus: string, statuses: Readonly<Record<string, string>>): string {
  return `refund:${id}:${Object.hasOwn(statuses, providerStatus) ? statuses[providerStatus] : providerStatus}`;
}
