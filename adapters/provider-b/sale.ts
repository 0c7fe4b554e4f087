/** The sale: what we ask, and what B's answer says. Whether it is paid comes later, by callback or status. */
import {
  declineOf,
  formatAmount,
  misconfigured,
  nothingCharged,
  toMinor,
  unknown,
  type Card,
  type DeclineCode,
  type FailedOutcome,
  type HttpReply,
  type HttpRequest,
  type Outcome,
  type Provider,
  type Submission,
} from '@gateway/contract';
import { isTxn, readAnswerAbout, toCall, type Answer } from './messages.ts';
import type { Options } from './options.ts';

/** Values of `code` in what B declined. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  '201': '05',
  '205': '51',
  '208': '54',
  '214': '57',
  '221': '61',
  '230': '05',
  '231': '05',
  '301': '05',
};

export function saleRequest(payment: Submission, card: Card, provider: Provider<Options>): HttpRequest {
  const { reference, money, payer } = payment;
  const fields = {
    gw_ref: reference,
    total: formatAmount(money),
    cur: money.currency,
    pan: card.number,
    exp_month: card.expiryMonth,
    exp_year: card.expiryYear,
    cvv: card.cvv,
    holder: payer.name,
    mail: payer.email,
    phone: payer.phoneNumber,
    addr: payer.address,
    city: payer.city,
    region: payer.state,
    zip: payer.postalCode,
    land: payer.country,
    ip: payer.ipAddress ?? undefined,
    hook: provider.callbackUrl('providerB'),
  };
  const signed = [provider.options.endpoint, reference, toMinor(money), payer.email];
  return toCall(provider.options, 'sale', fields, signed);
}

export function saleOutcome(reply: HttpReply, { reference }: Submission): Outcome {
  const answer = readAnswerAbout(reply, reference);
  return readRefusal(reply, answer) ?? takenOutcome(answer, reference);
}

/** What B took, or declined: certain only where it names our reference and an id of its own. */
export function takenOutcome(answer: Answer | undefined, reference: string): Outcome {
  const kind = answer?.get('kind') ?? '';
  const providerReference = answer?.get('b_txn');
  if (!answer || answer.get('gw_ref') !== reference || !isTxn(providerReference)) {
    return unknown(kind === 'problem' ? namedProblem(answer!) : 'no whole answer about this payment');
  }
  switch (kind) {
    case 'taken':
      return { outcome: 'pending', providerReference };
    case 'code':
      return { outcome: 'pending', providerReference, action: { type: 'confirm', paymentId: providerReference } };
    case 'declined':
      return { outcome: 'failed', providerReference, ...refusalOf(answer) };
    default:
      return { outcome: 'unknown', providerReference, ...(kind ? { unknownWord: kind } : {}) };
  }
}

/** How the card was refused. */
export function refusalOf(answer: Answer) {
  return declineOf(declines, answer.get('code'), answer.get('note'));
}

/** B says for certain that it did nothing: by a problem of these codes, or by the HTTP status. */
const refusals = new Set(['101', '102', '103', '104']);
const refusingStatuses = new Set([400, 401, 403, 404, 422, 429]);

/** A refusal after which certainly nothing moved; `further` are problems that say so of this call alone. */
export function readRefusal(
  { status }: HttpReply,
  answer: Answer | undefined,
  further: readonly string[] = [],
): FailedOutcome | undefined {
  if (refusingStatuses.has(status)) {
    const said = `B answered ${status}`;
    return status === 401 || status === 403 ? misconfigured(`${said}: check endpoint and login`) : nothingCharged(said);
  }
  const code = answer?.get('kind') === 'problem' ? (answer.get('code') ?? '') : '';
  if (!refusals.has(code) && !further.includes(code)) return undefined;
  const said = namedProblem(answer!);
  const isOurSetUp = code === '102' || code === '103';
  return isOurSetUp ? misconfigured(`${said}: check endpoint, login and controlKeys`) : nothingCharged(said);
}

/** Its code and field; B's note may repeat what we sent. */
export function namedProblem(problem: Answer): string {
  const field = problem.get('field');
  return `B answered problem ${problem.get('code') ?? 'without code'}${field ? ` (${field})` : ''}`;
}
