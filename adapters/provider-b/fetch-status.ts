/** Status fetch: reports what B knows of a sale as events. Unlike a callback, the answer is verified. */
import {
  eventDeclineOf,
  noInformation,
  notFound,
  refundTotal,
  type Ability,
  type ReportedEvent,
  readMoney,
} from '@paywright/contract';
import { txnOf } from './complete.ts';
import type { Options } from './options.ts';
import { declines, saleStatuses } from './statuses.ts';
import { isName, isTxn, nameProblem, readAnswer, toCall, type Answer } from './wire.ts';

/** Time after the submission's end from which *no such order* is final: a sale in transit has arrived by then. */
const SETTLED_AFTER_MS = 10_000;

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, { http, options, now }) => {
  const { reference } = payment;
  const { login } = options;
  const b_txn = txnOf(payment) ?? '';
  const fields = { login, gw_ref: reference, b_txn };
  const reply = await http.send(toCall(options, 'status', fields, [login, reference, b_txn]));
  const answer = readAnswer(reply, reference);
  if (!answer) return noInformation(`the answer is incomplete or not about this payment (HTTP ${reply.status})`);
  if (answer.get('kind') === 'problem') {
    const isUnknown = answer.get('code') === '110';
    return isUnknown
      ? notFound(payment, { now: now(), afterMs: SETTLED_AFTER_MS })
      : noInformation(nameProblem(answer));
  }
  const events = answer.get('kind') === 'status' ? eventsOf(answer, reference) : undefined;
  return events ? { result: 'events', events } : noInformation('the answer is not a status of this payment');
};

/** Undefined if a fact is missing or has another form. An empty `returned` or `dispute` means none. */
function eventsOf(answer: Answer, reference: string): ReportedEvent[] | undefined {
  const [txn, outcome, currency] = [answer.get('b_txn'), answer.get('outcome'), answer.get('cur')];
  const total = readMoney(answer.get('total'), currency);
  const returned = readMoney(answer.get('returned') || '0', currency);
  const dispute = answer.get('dispute') || 'none';
  const isOurs = answer.get('gw_ref') === reference && isTxn(txn);
  if (!isOurs || !isName(outcome) || !total || !returned) return undefined;

  const sale = { reference, providerReference: txn, ...total };
  const providerStatus = `sale/${outcome}`;
  const dedupeKey = `${txn}:status:${outcome}`;
  const detail = detailOf(answer, providerStatus, txn);
  const disputed = { ...sale, providerStatus: dispute, dedupeKey: `${txn}:dispute:${dispute}` };
  return [
    { ...sale, kind: 'payment', providerStatus, dedupeKey, ...detail },
    ...refundTotal(sale, 'returned', returned),
    ...(dispute === 'none' ? [] : [{ ...disputed, kind: 'chargeback' } as const]),
  ];
}

function detailOf(answer: Answer, providerStatus: string, paymentId: string): Partial<ReportedEvent> {
  const status = saleStatuses[providerStatus];
  if (status === 'failed') return eventDeclineOf(declines, answer.get('code'), answer.get('note'));
  const awaitsCode = status === 'pending' && answer.get('step') === 'code';
  return awaitsCode ? { action: { type: 'confirm', paymentId } } : {};
}
