/** The status: what B knows of a sale, told as events. It proves what a callback only says. */
import {
  compareDecimals,
  noNews,
  type HttpReply,
  type HttpRequest,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { isTxn, isWord, readAnswerAbout, readTotal, toCall, type Answer } from './messages.ts';
import type { Options } from './options.ts';
import { namedProblem, refusalOf } from './sale.ts';
import { words } from './words.ts';

/** From then on *no such order* is final: a sale that was still on its way has arrived. */
const SETTLED_AFTER_MS = 10_000;

/** `txn` is empty where B's id is not known. */
export function statusRequest(options: Options, reference: string, txn: string): HttpRequest {
  const { login } = options;
  return toCall(options, 'status', { login, gw_ref: reference, b_txn: txn }, [login, reference, txn]);
}

export function readStatus(reply: HttpReply, { reference, endedAt }: StoredPayment, now: Date): StatusReport {
  const answer = readAnswerAbout(reply, reference);
  if (!answer) return noNews(`no whole answer about this payment (HTTP ${reply.status})`);
  if (answer.get('kind') === 'problem') {
    if (answer.get('code') !== '110') return noNews(namedProblem(answer));
    const settled = endedAt !== null && now.getTime() - endedAt.getTime() >= SETTLED_AFTER_MS;
    return settled ? { news: 'nothing_charged' } : noNews('B does not know the reference yet');
  }
  const events = answer.get('kind') === 'status' ? eventsOf(answer, reference) : undefined;
  return events ? { news: 'events', events } : noNews('the answer is no status of this payment');
}

/** Undefined where a fact is missing or of another form. An empty `returned` or `dispute` says that there is none. */
function eventsOf(answer: Answer, reference: string): ReportedEvent[] | undefined {
  const [txn, outcome, currency] = [answer.get('b_txn'), answer.get('outcome'), answer.get('cur')];
  const total = readTotal(answer.get('total'), currency);
  const returned = readTotal(answer.get('returned') || '0', currency);
  const dispute = answer.get('dispute') || 'none';
  const isOurs = answer.get('gw_ref') === reference && isTxn(txn);
  if (!isOurs || !isWord(outcome) || !total || !returned) return undefined;

  const about = { reference, providerReference: txn } as const;
  const word = `sale/${outcome}`;
  const events: ReportedEvent[] = [
    {
      ...about,
      ...total,
      kind: 'payment',
      word,
      dedupeKey: `${txn}:status:${outcome}`,
      ...detailOf(answer, word, txn),
    },
  ];
  if (compareDecimals(returned.amount, '0') > 0) {
    const dedupeKey = `${txn}:returned:${returned.amount}`;
    events.push({ ...about, ...returned, kind: 'refund', word: 'returned', dedupeKey, cumulative: true });
  }
  if (dispute !== 'none') {
    events.push({ ...about, ...total, kind: 'chargeback', word: dispute, dedupeKey: `${txn}:dispute:${dispute}` });
  }
  return events;
}

function detailOf(answer: Answer, word: string, txn: string): Partial<ReportedEvent> {
  const status = Object.hasOwn(words.payment, word) ? words.payment[word as keyof typeof words.payment] : undefined;
  if (status === 'failed') {
    const { decline, declineText } = refusalOf(answer);
    return { decline, ...(declineText === undefined ? {} : { declineText }) };
  }
  const awaitsCode = status === 'pending' && answer.get('step') === 'code';
  return awaitsCode ? { action: { type: 'confirm', paymentId: txn } } : {};
}
