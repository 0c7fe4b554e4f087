/** The status answer: a charge answer with what came after, told as events. */
import {
  noNews,
  readAs,
  v,
  type HttpReply,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { Charge, isAbout, readError, refusalOf, stepUpAction } from './charge.ts';
import { moneyOf, readObject, Sum } from './messages.ts';

/** From then on *no such reference* is final: a charge that was still on its way has arrived. */
const SETTLED_AFTER_MS = 10_000;

const Status = v.object({
  ...Charge.entries,
  returned: v.nullish(Sum),
  disputed: v.nullish(v.boolean()),
});
type Status = v.InferOutput<typeof Status>;

export const statusWords = {
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

export function readStatus(reply: HttpReply, { reference, money, endedAt }: StoredPayment, now: Date): StatusReport {
  if (reply.status === 404 && readError(reply).code === 'NO_SUCH') {
    const settled = endedAt !== null && now.getTime() - endedAt.getTime() >= SETTLED_AFTER_MS;
    return settled ? { news: 'nothing_charged' } : noNews('A does not know the reference yet');
  }
  if (reply.status !== 200) return noNews(`A answered ${reply.status}`);
  const status = readAs(Status, readObject(reply.body));
  if (!status || !isAbout(status, reference, money)) return noNews('the answer is no status of this payment');
  return { news: 'events', events: eventsOf(status) };
}

function eventsOf(status: Status): ReportedEvent[] {
  const { txn, ref, sum, returned, disputed } = status;
  const about = { reference: ref, providerReference: txn, facts: { from: 'status' } };
  const events: ReportedEvent[] = [
    {
      ...about,
      ...moneyOf(sum),
      kind: 'payment',
      word: status.state,
      dedupeKey: `${txn}:${Object.hasOwn(identities, status.state) ? identities[status.state] : status.state}`,
      ...detailOf(status),
    },
  ];
  if (returned && returned.minor !== '0') {
    const money = moneyOf(returned);
    const dedupeKey = `${txn}:returned:${money.amount}`;
    events.push({ ...about, ...money, kind: 'refund', word: 'returned', dedupeKey, cumulative: true });
  }
  if (disputed) {
    events.push({ ...about, ...moneyOf(sum), kind: 'chargeback', word: 'disputed', dedupeKey: `${txn}:disputed:true` });
  }
  return events;
}

/** The same fact has the same identity in a batch. */
const identities: Readonly<Record<string, string>> = {
  OK: 'CAPTURE:true',
  HOLD: 'AUTH:true',
  NO: 'AUTH:false',
  VOID: 'VOID:true',
  EXPIRED: 'EXPIRE:true',
};

function detailOf(status: Status): Partial<ReportedEvent> {
  if (status.state === 'NO') {
    const { unknownWord: _, ...refusal } = refusalOf(status);
    return refusal;
  }
  if (status.state !== 'STEP_UP') return {};
  const action = stepUpAction(status);
  return { ...(action ? { action } : {}), ...(status.stepUp?.answered ? { awaitsCompletion: true } : {}) };
}
