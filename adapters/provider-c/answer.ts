/** What C answers to a payment, and to its completion; and what its errors mean for any call. */
import {
  formatAmount,
  misconfigured,
  nothingCharged,
  unknown,
  type AttemptFacts,
  type HttpReply,
  type Outcome,
  type Provider,
} from '@gateway/contract';
import { readFacts, readRefusal, type Facts } from './facts.ts';
import { hasAll, readMessage, type Form } from './wire.ts';
import { isSentByC } from './signing.ts';
import type { Account, Options } from './options.ts';
import { toAction } from './three-ds.ts';
import { findWords } from './words.ts';

export interface Answer extends Facts {
  readonly id: string;
  readonly form: Form;
}

/** An answer that is whole, proven, and about what was asked; undefined for anything else. */
export function readAnswer(
  reply: HttpReply,
  { reference, money }: Pick<AttemptFacts, 'reference' | 'money'>,
  account: Account,
): Answer | undefined {
  const form = reply.status === 200 ? readMessage(reply) : undefined;
  if (!form || form.get('c_key') !== account.key || !isSentByC(form, account)) return undefined;
  const facts = readFacts(form, account.currency);
  if (!facts?.id || facts.reference !== reference || facts.amount !== formatAmount(money)) return undefined;
  return { ...facts, id: facts.id, form };
}

/** The outcome of a payment, or of its completion: only `success` and `failure` are final. */
export function paymentOutcome(
  reply: HttpReply,
  payment: AttemptFacts,
  account: Account,
  { threeDsToken, publicUrl }: Provider<Options>,
): Outcome {
  if (reply.status !== 200) return errorOutcome(reply);
  const answer = readAnswer(reply, payment, account);
  if (!answer) return unknown('no whole and proven answer about this payment');
  const { form, state, id: providerReference } = answer;
  switch (state) {
    case 'success':
      return { outcome: 'succeeded', providerReference };
    case 'failure':
      return { outcome: 'failed', providerReference, ...readRefusal(form), ...issuersWords(form) };
    case 'challenge': {
      const action = toAction(form, threeDsToken, publicUrl);
      return action
        ? { outcome: 'pending', providerReference, action }
        : { outcome: 'unknown', providerReference, reason: 'a 3D Secure step that cannot be read' };
    }
    default: {
      const isKnown = Object.hasOwn(findWords.payment, state);
      return { outcome: 'pending', providerReference, ...(isKnown ? {} : { unknownWord: state }) };
    }
  }
}

/** Beside the result of a failed 3D Secure step. */
function issuersWords(form: Form): { acsResponse?: string } {
  const said = form.get('c_msg');
  return form.get('c_why') === 'auth_failed' && said ? { acsResponse: said } : {};
}

/** Status and C's own word of an error answer, such as `503 closed`; the status alone where C says nothing. */
export function errorOf(reply: HttpReply): string {
  const form = readMessage(reply);
  return form && hasAll(form, ['c_error']) ? `${reply.status} ${form.get('c_error')}` : String(reply.status);
}

/** Only C's own word says that nothing was charged: a page that a proxy shows says nothing. */
export function errorOutcome(reply: HttpReply): Outcome {
  const error = errorOf(reply);
  switch (error) {
    case '400 bad_field':
    case '429 slow_down':
    case '500 not_started':
    case '503 closed':
      return nothingCharged(`C answered ${error}`);
    case '401 bad_hash':
    case '401 bad_key':
      return misconfigured(`C answered ${error}: check key and salts of the account`);
    case '422 not_payable': {
      const declineText = readMessage(reply)?.get('c_text');
      return { outcome: 'failed', decline: '57', ...(declineText ? { declineText } : {}) };
    }
    default:
      return unknown(`C answered ${reply.status}`);
  }
}
