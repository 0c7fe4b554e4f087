/** The host-to-host interface: a payment, its member code, its status, its refunds, all as signed tokens. */
import {
  declineOf,
  nothingCharged,
  noNews,
  unknown,
  type AttemptFacts,
  type Card,
  type HttpReply,
  type HttpRequest,
  type Outcome,
  type Provider,
  type RefundRequest,
  type StatusReport,
  type StoredPayment,
  type Submission,
} from '@gateway/contract';
import { faultOutcome, neverSeen, readJsonFault } from './faults.ts';
import type { Options } from './options.ts';
import { readToken, writeToken } from './signing.ts';
import { eventOf, isSum, SaleClaims, StatusClaims, toSum, toTranRef, TransactionClaims } from './transaction.ts';
import { transactionDeclines } from './words.ts';

type Lent = Pick<Provider<Options>, 'options' | 'now'>;

function call(
  name: 'payments' | 'confirm' | 'status' | 'refund',
  { reference }: AttemptFacts,
  claims: Readonly<Record<string, unknown>>,
  { options, now }: Lent,
): HttpRequest {
  const iat = Math.floor(now().getTime() / 1000);
  return {
    method: 'POST',
    path: `/h2h/${name}`,
    headers: { 'Content-Type': 'application/json' },
    body: writeToken(options.h2hKeys[0]!, { acct: options.account, inv: reference, ...claims, iat }),
  };
}

export function paymentRequest(payment: Submission, card: Card, provider: Lent): HttpRequest {
  const { money, payer, captureDelayHours: delay = 0 } = payment;
  const claims = {
    sum: toSum(money),
    cur: money.currency,
    card: { no: card.number, exp: card.expiryMonth + card.expiryYear.slice(2), cvv: card.cvv },
    payer: { name: payer.name, email: payer.email, phone: payer.phoneNumber, ip: payer.ipAddress },
    addr: {
      street: payer.address,
      city: payer.city,
      state: payer.state,
      zip: payer.postalCode,
      country: payer.country,
    },
    delay,
  };
  return call('payments', payment, claims, provider);
}

export function confirmRequest(payment: StoredPayment, tranRef: string, code: string, provider: Lent): HttpRequest {
  return call('confirm', payment, { tranRef: toTranRef(tranRef), code }, provider);
}

export function statusRequest(payment: StoredPayment, provider: Lent): HttpRequest {
  return call('status', payment, {}, provider);
}

export function refundRequest(
  payment: StoredPayment,
  tranRef: string,
  { reference: refund, money }: RefundRequest,
  provider: Lent,
): HttpRequest {
  const claims = { tranRef: toTranRef(tranRef), refund, sum: toSum(money), cur: money.currency };
  return call('refund', payment, claims, provider);
}

/** What a sale, or its confirmation, came to. */
export function saleOutcome(reply: HttpReply, { reference, money }: AttemptFacts, { options, now }: Lent): Outcome {
  if (reply.status !== 200) return faultOutcome(reply, readJsonFault(reply));
  const read = readToken(reply.body, SaleClaims, options, now());
  if (read.verdict !== 'genuine') return unknown(`the answer is ${read.verdict}: ${read.reason}`);
  const { claims } = read;
  const isOurs = claims.inv === reference && claims.op === 'sale' && isSum(claims, money);
  return isOurs ? outcomeOf(claims) : unknown('the answer is about another payment');
}

function outcomeOf({ tranRef: providerReference, rc, why }: SaleClaims): Outcome {
  switch (rc) {
    case '0000':
      return { outcome: 'succeeded', providerReference };
    case '2000':
      return { outcome: 'pending', providerReference };
    case '2001':
      return { outcome: 'pending', providerReference, action: { type: 'confirm', paymentId: providerReference } };
    case '2002':
      return { outcome: 'pending', providerReference, authorised: true };
    default:
      return /^4\d{3}$/.test(rc)
        ? { outcome: 'failed', providerReference, ...declineOf(transactionDeclines, rc, why) }
        : { outcome: 'unknown', providerReference, unknownWord: rc };
  }
}

export function readStatus(
  reply: HttpReply,
  { reference, endedAt }: StoredPayment,
  { options, now }: Lent,
): StatusReport {
  if (reply.status !== 200) {
    return neverSeen(reply, readJsonFault(reply), endedAt)
      ? { news: 'nothing_charged' }
      : noNews(`E answered ${reply.status}`);
  }
  const read = readToken(reply.body, StatusClaims, options, now());
  if (read.verdict !== 'genuine') return noNews(`the answer is ${read.verdict}: ${read.reason}`);
  const { inv, trans } = read.claims;
  if (inv !== reference || !trans.length) return noNews('the answer is no status of this payment');
  const events = trans.map((tran) => {
    const event = eventOf(inv, tran);
    const awaitsCode = event.word === 'sale/2001';
    return awaitsCode ? { ...event, action: { type: 'confirm', paymentId: tran.tranRef } as const } : event;
  });
  return { news: 'events', events };
}

export function refundOutcome(
  reply: HttpReply,
  { reference }: StoredPayment,
  sale: string,
  { money }: RefundRequest,
  { options, now }: Lent,
): Outcome {
  if (reply.status !== 200) return faultOutcome(reply, readJsonFault(reply));
  const read = readToken(reply.body, TransactionClaims, options, now());
  if (read.verdict !== 'genuine') return unknown(`the answer is ${read.verdict}: ${read.reason}`);
  const { inv, op, orig, rc, tranRef: providerReference } = read.claims;
  const isOurs = inv === reference && op === 'refund' && orig === sale && isSum(read.claims, money);
  if (!isOurs) return unknown('the answer is about another refund');
  if (rc === '0000') return { outcome: 'succeeded', providerReference };
  if (/^2\d{3}$/.test(rc)) return { outcome: 'pending', providerReference };
  if (/^4\d{3}$/.test(rc)) return { ...nothingCharged(`E answered ${rc}`), providerReference };
  return { outcome: 'unknown', providerReference, unknownWord: rc };
}
