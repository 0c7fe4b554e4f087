/** The order of a page: what we ask, and what D's answer says. */
import {
  isLoopback,
  unknown,
  type Action,
  type AttemptFacts,
  type HttpReply,
  type Outcome,
  type Provider,
  type Submission,
} from '@gateway/contract';
import { errorOutcome, readAnswer } from './answer.ts';
import { isSameMoney, moneyOf, type Message } from './message.ts';
import type { Options } from './options.ts';
import type { Members } from './signing.ts';
import { callbackWords, refusalOf, wordOf } from './words.ts';

/** The route that D tells everything on, by POST from its servers and by GET through the payer's browser. */
export const routePath = 'providerDhp';

/** Members of an order in D's order; sum in minor units, currency as its numeric code. */
export function orderMembers(
  { reference, payer }: Submission,
  sum: string,
  cur: string,
  publicAddress: string,
): Members {
  return {
    D_Order: reference,
    D_Sum: sum,
    D_Cur: cur,
    D_Name: payer.name,
    D_Mail: payer.email,
    D_Phone: payer.phoneNumber,
    D_Addr: payer.address,
    D_City: payer.city,
    D_Region: payer.state,
    D_Zip: payer.postalCode,
    D_Land: payer.country,
    D_Ip: payer.ipAddress ?? undefined,
    D_Item: `Payment ${reference}`,
    D_Notify: publicAddress,
    D_Return: publicAddress,
  };
}

/** The payer's way to the page; undefined where the answer names no address that is safe to go to. */
export function pageAction({ D_Page = '' }: Message): Action | undefined {
  const url = URL.canParse(D_Page) ? new URL(D_Page) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  return isSafe ? { type: 'redirect', method: 'GET', url: D_Page } : undefined;
}

/** True while the payer may still use the page. */
export function isOpen({ D_Op, D_Code }: Message): boolean {
  return D_Op === '0' && D_Code === '8000';
}

export function orderOutcome(
  reply: HttpReply,
  { reference, money }: AttemptFacts,
  { options }: Provider<Options>,
): Outcome {
  if (reply.status !== 200) return errorOutcome(reply);
  const message = readAnswer(reply, reference, options);
  if (!message || !isSameMoney(moneyOf(message), money)) return unknown('the answer is no proven answer to this order');
  const providerReference = message.D_Id;
  if (isOpen(message)) {
    const action = pageAction(message);
    return action
      ? { outcome: 'pending', providerReference, action }
      : { outcome: 'unknown', providerReference, reason: 'an open page without an address' };
  }
  const word = wordOf(message);
  const status = callbackWords.payment[word];
  if (status === 'succeeded') return { outcome: 'succeeded', providerReference };
  if (status === 'failed') return { outcome: 'failed', providerReference, ...refusalOf(message) };
  // Also an order that was made before and has ended otherwise since: the status answer says how.
  return { outcome: 'pending', providerReference, ...(status ? {} : { unknownWord: word }) };
}
