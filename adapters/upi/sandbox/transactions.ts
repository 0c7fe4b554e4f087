/** The switch's transactions: their first state, and their form in answers. */
import { randomBytes } from 'node:crypto';
import { fromMinor, JsonNumber } from '@paywright/contract';
import { amountRule, type AmountRule } from '@paywright/contract/sandbox';
import { behaviourOf, type Behaviour, type Step } from './payers.ts';
import type { PayRequest } from './requests.ts';

export interface Transaction {
  readonly u_txn: string;
  readonly gw_ref: string;
  readonly paise: string;
  readonly mode: PayRequest['mode'];
  /** The payer as requested. For a link or a QR code the payer is known once it is paid. */
  readonly vpa: string | null;
  readonly hook: string;
  readonly ret: string;
  readonly lapses: number;
  readonly rule: AmountRule | undefined;
  readonly behaviour: Behaviour;
  step: Step;
  rrn: string | null;
  /** The button that the payer pressed on the page. */
  pressed?: 'pass' | 'fail';
  /** Requested refunds that were not refused, in paise. */
  asked: bigint;
}

/** A number of the switch or the banks. It begins with zeros, because its zeros count. */
export function newNumber(prefix: string): string {
  return prefix + String(randomBytes(6).readUIntBE(0, 6) % 10 ** 12).padStart(12, '0');
}

export function openTransaction(asked: PayRequest, now: number): Transaction {
  const { gw_ref, paise, mode, vpa = null, hook, ret, ttl } = asked;
  const behaviour = behaviourOf(asked.vpa);
  const opened: Transaction = {
    u_txn: newNumber('U00'),
    gw_ref,
    paise,
    mode,
    vpa,
    hook,
    ret,
    lapses: now + ttl * 1000,
    rule: ruleOf(paise),
    behaviour,
    step: { state: 'PENDING' },
    rrn: null,
    asked: 0n,
  };
  reach(opened, behaviour.answer);
  return opened;
}

export function ruleOf(paise: string): AmountRule | undefined {
  return amountRule({ amount: fromMinor(paise, 'INR'), currency: 'INR' });
}

/** Moves the transaction to this state. It gets the banks' number as soon as a bank takes part. */
export function reach(transaction: Transaction, step: Step): void {
  transaction.step = step;
  if (step.state === 'DEEMED' || step.state === 'COMPLETED') transaction.rrn ??= newNumber('').replace(/^\d{3}/, '000');
}

/** The members that answers show. */
export function present(transaction: Transaction, mid: string): Readonly<Record<string, unknown>> {
  const { u_txn, gw_ref, mode, step, paise, vpa, rrn, lapses } = transaction;
  const { state, why, late } = step;
  return {
    u_txn,
    gw_ref,
    mid,
    mode,
    state,
    paise: new JsonNumber(paise),
    vpa,
    rrn,
    why: why ?? null,
    ...(late ? { late } : {}),
    link: mode === 'INTENT' ? linkOf(transaction) : null,
    qr: mode === 'QR' ? qrOf(transaction) : null,
    lapses,
  };
}

const shop = 'pa=shop%40switch&pn=Gateway%20Shop';

function linkOf({ u_txn, gw_ref, paise }: Transaction): string {
  return `upi://pay?${shop}&tr=${u_txn}&tn=${gw_ref}&am=${fromMinor(paise, 'INR')}&cu=INR&mode=04`;
}

function qrOf({ u_txn, paise }: Transaction): string {
  return `upi://pay?ver=01&mode=01&${shop}&tr=${u_txn}&am=${fromMinor(paise, 'INR')}&cu=INR`;
}
