/** Status fetch: reads a charge answer with later refunds and disputes, and reports them as events. */
import {
  defined,
  eventDeclineOf,
  noInformation,
  notFound,
  refundTotal,
  urlPath,
  v,
  type Ability,
  type ReportedEvent,
} from '@paywright/contract';
import { Charge, readCharge, stepUpAction, threeDsResultOf } from './charge.ts';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';
import { moneyOf, readError, Sum } from './wire.ts';

/** Time after the submission's end from which *no such reference* is final: a charge in transit has arrived by then. */
const SETTLED_AFTER_MS = 10_000;

const Status = v.object({ ...Charge.entries, returned: v.nullish(Sum), disputed: v.nullish(v.boolean()) });
type Status = v.InferOutput<typeof Status>;

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, { http, options, now }) => {
  const path = urlPath`/v1/charges/by-ref/${payment.reference}?acct=${options.account}`;
  const reply = await http.send({ method: 'GET', path, headers: { 'X-A-Key': options.apiKey } });
  if (reply.status === 404 && readError(reply).code === 'NO_SUCH') {
    return notFound(payment, { now: now(), afterMs: SETTLED_AFTER_MS });
  }
  if (reply.status !== 200) return noInformation(`A answered ${reply.status}`);
  const status = readCharge(Status, reply, payment);
  return status
    ? { result: 'events', events: eventsOf(status) }
    : noInformation('the answer is not a status of this payment');
};

/** The identity of a state if a batch reports the same fact. */
const operations = new Map([
  ['OK', 'CAPTURE:true'],
  ['HOLD', 'AUTH:true'],
  ['NO', 'AUTH:false'],
  ['VOID', 'VOID:true'],
  ['EXPIRED', 'EXPIRE:true'],
]);

function eventsOf(status: Status): ReportedEvent[] {
  const { txn, ref, state, sum, returned, disputed } = status;
  const about = { reference: ref, providerReference: txn, ...moneyOf(sum) };
  const dedupeKey = `${txn}:${operations.get(state) ?? state}`;
  const dispute = {
    ...about,
    kind: 'chargeback',
    providerStatus: 'disputed',
    dedupeKey: `${txn}:disputed:true`,
  } as const;
  return [
    { ...about, kind: 'payment', providerStatus: state, dedupeKey, ...detailOf(status) },
    ...(returned ? refundTotal(about, 'returned', moneyOf(returned)) : []),
    ...(disputed ? [dispute] : []),
  ];
}

function detailOf(status: Status): Partial<ReportedEvent> {
  const { state, why, whyText, stepUp } = status;
  if (state === 'NO') return { ...eventDeclineOf(declines, why, whyText), ...threeDsResultOf(status) };
  if (state !== 'STEP_UP') return {};
  return { ...defined({ action: stepUpAction(status) }), ...(stepUp?.answered ? { awaitsCompletion: true } : {}) };
}
