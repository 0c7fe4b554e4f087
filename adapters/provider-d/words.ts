/** What D's words mean: operation and code, and the words of a status answer. */
import { declineOf, type DeclineCode, type EventStatuses } from '@gateway/contract';
import type { Message } from './message.ts';

/** Decline codes of operation 0, and the error word that is a decline. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  '0190': '05',
  '0116': '51',
  '0101': '54',
  '0104': '57',
  '0180': '57',
  '0121': '61',
  '0184': '05',
  '9912': '05',
  not_payable: '57',
};

interface Words {
  readonly payment: Readonly<Record<string, 'succeeded' | 'failed' | 'cancelled' | 'expired' | 'pending'>>;
  readonly refund: Readonly<Record<string, EventStatuses['refund']>>;
  readonly chargeback: Readonly<Record<string, EventStatuses['chargeback']>>;
}

/** One status for all codes of an operation from one to another. */
function codes<S>(op: string, from: number, to: number, status: S): Record<string, S> {
  const all = Array.from({ length: to - from + 1 }, (_, at) => String(from + at).padStart(4, '0'));
  return Object.fromEntries(all.map((code) => [`${op}:${code}`, status]));
}

/** By operation and code. */
export const callbackWords: Words = {
  payment: {
    ...codes('0', 0, 99, 'succeeded'),
    ...codes('0', 100, 399, 'failed'),
    '0:9912': 'failed',
    '0:9915': 'cancelled',
    '0:9970': 'expired',
    '0:9997': 'pending',
    '9:0400': 'cancelled',
  },
  refund: { '3:0900': 'succeeded', '3:9997': 'pending', ...codes('3', 100, 399, 'failed'), '3:0901': 'reversed' },
  chargeback: { '7:0700': 'opened', '7:0701': 'won', '7:0702': 'lost', '7:0703': 'reversed' },
};

/** A status answer has words beside these: an open page, the sum given back, the state of a dispute. */
export const statusWords: Words = {
  payment: { ...callbackWords.payment, '0:8000': 'pending' },
  refund: { ...callbackWords.refund, D_Back: 'succeeded' },
  chargeback: { ...callbackWords.chargeback, open: 'opened', won: 'won', lost: 'lost', back: 'reversed' },
};

/** `0:0000`: what a message says, in D's words. */
export function wordOf({ D_Op, D_Code }: Pick<Message, 'D_Op' | 'D_Code'>): string {
  return `${D_Op}:${D_Code}`;
}

/** How a payment was refused; where it was for 3D Secure, with the result and the issuer's words. */
export function refusalOf({ D_Code, D_Text, D_Secure = '3' }: Message) {
  const isThreeDs = D_Code === '0184' && D_Secure === '3';
  return {
    ...declineOf(declines, D_Code, D_Text),
    ...(isThreeDs ? { threeDsResult: 'N' } : {}),
    ...(isThreeDs && D_Text ? { acsResponse: D_Text } : {}),
  };
}
