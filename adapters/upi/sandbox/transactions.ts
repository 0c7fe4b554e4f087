/** The switch's transactions: how they begin, and how an answer shows them. */
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
  /** As asked for; the payer of a link or a QR code is known once it is paid. */
  readonly vpa: string | null;
  readonly hook: string;
  readonly ret: string;
  readonly lapses: number;
  readonly rule: AmountRule | undefined;
  readonly behaviour: Behaviour;
  step: Step;
  rrn: string | null;
  /** What the payer pressed on the page. */
  pressed?: 'pass' | 'fail';
  /** Asked back and not refused, in paise. */
  asked: bigint;
}

/** A number of the switch or the banks: it begins with zeros, for they count. */
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

/** The transaction comes to this state; it has the banks' number as soon as they speak of it. */
export function reach(transaction: Transaction, step: Step): void {
  transaction.step = step;
  if (step.state === 'DEEMED' || step.state === 'COMPLETED') transaction.rrn ??= newNumber('').replace(/^\d{3}/, '000');
}

/** What answers show. */
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
