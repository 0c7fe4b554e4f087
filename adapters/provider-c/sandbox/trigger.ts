/** Callbacks on demand. A find reports the same afterwards. */
import {
  formatAmount,
  formType,
  hash,
  readReference,
  toMinor,
  writeForm,
  type TriggerCauses,
} from '@paywright/contract';
import type { CallbackReply, SandboxSetup, Trigger } from '@paywright/contract';
import { newId, sendOnDemand, wrongSecret, type Message } from '@paywright/contract/sandbox';
import { accountIn, type Options } from '../options.ts';
import { callbackStatuses, kindOf } from '../statuses.ts';
import { returnFields, serverRequest } from './forms.ts';
import type { Ledger } from './ledger.ts';
import { refuse, type Payment, type Said } from './payments.ts';

const payments = Object.keys(callbackStatuses.payment);
const states = [...payments, ...Object.keys(callbackStatuses.refund), ...Object.keys(callbackStatuses.chargeback)];
const byPage = 'page ';

/** Every `c_state` of a server form, and those that the payer's browser brings. */
export const events: readonly string[] = [...states, ...payments.map((state) => byPage + state)];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'pending',
  'payment.succeeded': 'success',
  'payment.failed': 'failure',
  'payment.expired': 'lapsed',
  'payment.refunded': 'refunded',
  'payment.refund_failed': 'refundfail',
  'payment.charged_back': 'disputed',
  'payment.chargeback_reversed': 'disputeback',
};

const reasons = { why: 'do_not_honour', msg: 'Refused by the issuer' };
const disputes = { disputed: 'open', disputewon: 'won', disputelost: 'lost', disputeback: 'back' } as const;

export function createTrigger(
  { options, publicUrl }: SandboxSetup<Options>,
  ledger: Ledger,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  /** A payment made from the facts, if C does not know it. */
  async function paymentOf({ reference, providerReference, money, forge }: Trigger): Promise<Payment> {
    const known = await ledger.byReference(reference);
    if (known && known.account.currency === money.currency) return known;
    const account = accountIn(money.currency, options);
    if (!account) throw new RangeError(`C has no account in ${money.currency}: add one to the options`);
    const own = { x1: readReference(reference)?.paymentRequestId ?? '', x2: '', x3: '', x4: '', x5: '' };
    const texts = { c_item: `Payment ${reference}`, c_name: '', c_mail: '' };
    const made = ledger.make({
      account,
      order: { c_ref: reference, c_total: formatAmount(money), ...texts, ...own },
      money,
      threeDsWish: 'auto',
      note: `${publicUrl}/callbacks/providerC`,
      back: `${publicUrl}/callbacks/providerChp`,
      ...(providerReference === null ? {} : { id: providerReference }),
    });
    return known || forge ? made : ledger.keep(made);
  }

  /** The form that the payer's browser brings back. */
  function browserRequest(payment: Payment, said: Said, happens: () => void): Message['request'] {
    const [secret = ''] = payment.account.pageSecrets;
    return ({ number, forged }) => {
      if (number === 1) happens();
      const body = writeForm(returnFields(payment, said, forged ? wrongSecret(secret) : secret));
      return { method: 'POST', url: payment.back, headers: { 'Content-Type': formType }, body };
    };
  }

  return async (trigger) => {
    const { event, money, forge, providerReference } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const payment = await paymentOf(trigger);
    const state = event.replace(byPage, '');
    const kind = kindOf(state);
    const extra = kind === 'payment' ? undefined : kind === 'refund' ? newId('RF-', 6) : caseOf(trigger.reference);
    const said: Said = {
      state,
      total: formatAmount(money),
      ...(extra === undefined ? {} : { extra }),
      ...(state === 'failure' ? reasons : {}),
    };
    const happens = (): void => {
      if (!forge) applyTo(payment, said, BigInt(toMinor(money)));
    };
    const about = providerReference === null ? payment : { ...payment, id: providerReference };
    const request = event.startsWith(byPage)
      ? browserRequest(about, said, happens)
      : serverRequest(about, payment.note, said, happens);
    return sendOnDemand({ request }, trigger);
  };
}

/** All triggered events of one payment belong to one dispute. */
function caseOf(reference: string): string {
  return `DP-${hash('sha256', reference).toString('hex').slice(0, 6).toUpperCase()}`;
}

/** Applies the reported event to the payment, except for a second end of an ended payment. */
function applyTo(payment: Payment, { state }: Said, minor: bigint): void {
  if (payment.state === 'pending' || payment.state === 'challenge') {
    if (state === 'failure') refuse(payment, reasons.why, reasons.msg);
    else if (payments.includes(state)) Object.assign(payment, { state });
    // A refunded or disputed payment was paid.
    else payment.state = 'success';
  }
  if (state === 'refunded') {
    const left = BigInt(toMinor(payment.money)) - payment.returned;
    payment.returned += minor < left ? minor : left;
    if (payment.asked < payment.returned) payment.asked = payment.returned;
  }
  if (Object.hasOwn(disputes, state)) payment.dispute = disputes[state as keyof typeof disputes];
}
