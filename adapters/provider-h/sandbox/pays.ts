/** H's pays: their state, and how answers and callbacks show them. */
import { randomBytes } from 'node:crypto';
import { compareDecimals, formatAmount, JsonNumber, subtractDecimals, type Money } from '@paywright/contract';
import {
  amountRule,
  BoundedMap,
  newCoinAddress,
  shareOfCoins,
  toCoins,
  type AmountRule,
} from '@paywright/contract/sandbox';
import type { Phase, Step } from './scenarios.ts';

export interface Pay {
  readonly payNo: string;
  readonly ref: string;
  readonly want: Money;
  readonly coin: string;
  readonly chain: string;
  /** Coins to pay. */
  readonly asked: string;
  readonly ipn: string;
  readonly lapsesAt: Date;
  readonly rule: AmountRule | undefined;
  readonly address: string;
  /** The transaction that pays it. */
  readonly hash: string;
  phase: Phase;
  /** Coins received. */
  got: string;
  confs: number;
  why: string | null;
  /** Start of this phase, in Unix milliseconds. */
  at: number;
  /** Counts the pay's scenarios. A new scenario cancels the pending reports of the previous one. */
  scenario: number;
  /** Keyed by our refund key. */
  readonly returns: Map<string, Return>;
  /** The canonical text of the request. A repetition must have the same. */
  readonly request: string | undefined;
}

export interface Return {
  readonly id: string;
  readonly sum: Money;
  state: 'queued' | 'done' | 'failed' | 'reversed';
}

export interface Opening {
  /** If left out, a new number is used. */
  readonly payNo?: string;
  readonly ref: string;
  readonly want: Money;
  readonly coin: string;
  readonly chain: string;
  readonly ttl: number;
  readonly ipn: string;
  readonly request?: string;
}

/** Above 2^53, so that tests notice a reader that uses doubles. */
function newNumber(): string {
  return `${Date.now()}${String(randomBytes(4).readUInt32BE() % 10 ** 6).padStart(6, '0')}`;
}

export function openPay({ payNo, ref, want, coin, chain, ttl, ipn, request }: Opening): Pay {
  const now = Date.now();
  return {
    payNo: payNo ?? newNumber(),
    ref,
    want,
    coin,
    chain,
    asked: toCoins(want.amount),
    ipn,
    lapsesAt: new Date(now + ttl * 1000),
    rule: amountRule(want),
    address: newCoinAddress(),
    hash: randomBytes(32).toString('hex'),
    phase: 'awaiting',
    got: toCoins('0'),
    confs: 0,
    why: null,
    at: now,
    scenario: 0,
    returns: new Map(),
    request,
  };
}

/** The pay after a step at the given time. */
export function after(pay: Pay, { phase, share, confs, why }: Step, at: number): Pay {
  const got = share === undefined ? pay.got : shareOfCoins(pay.asked, share);
  return { ...pay, phase, got, confs: confs ?? pay.confs, why: why ?? null, at };
}

/** The amount that can still be refunded, in the pay's currency. */
export function leftOf({ phase, want, returns }: Pay): string {
  const isPaid = phase === 'done' || phase === 'over' || phase === 'late';
  const given = [...returns.values()].filter(({ state }) => state === 'queued' || state === 'done');
  return isPaid ? given.reduce((left, { sum }) => subtractDecimals(left, sum.amount), want.amount) : '0';
}

const sum = (money: Money) => ({ n: new JsonNumber(formatAmount(money)), cur: money.currency });

/** The members of every message about a pay. */
export function present(pay: Pay, shop: string): Readonly<Record<string, unknown>> {
  const { payNo, ref, want, coin, chain, asked, got, phase, hash, confs, why, at } = pay;
  const coins = (n: string) => ({ n: new JsonNumber(n), coin });
  return {
    pay_no: new JsonNumber(payNo),
    gw_ref: ref,
    shop,
    phase,
    want: sum(want),
    asked: coins(asked),
    got: coins(got),
    fee: { svc: { n: new JsonNumber('0.25'), cur: want.currency }, net: coins('1.2e-6') },
    chain,
    hash: compareDecimals(got, '0') > 0 ? hash : null,
    confs,
    why,
    at,
  };
}

/** The pay in an answer: with the way to pay, unless it went bad immediately. */
export function presentAnswer(pay: Pay, shop: string): Readonly<Record<string, unknown>> {
  const { asked, chain, address, lapsesAt, phase, scenario } = pay;
  if (phase === 'bad' && scenario === 0) return present(pay, shop);
  const uri = `${chain}:${address}?amount=${asked}`;
  return { ...present(pay, shop), address, memo: null, uri, lapses_at: lapsesAt.toISOString().replace(/\.\d+/, '') };
}

export function presentReturn({ id, sum: money, state }: Return): Readonly<Record<string, unknown>> {
  return { id, state, ...sum(money) };
}

export interface Pays {
  keep(pay: Pay): void;
  byNumber(payNo: string): Pay | undefined;
  byRef(ref: string): Pay | undefined;
}

export function createPays(): Pays {
  const numbers = new BoundedMap<string, Pay>();
  const refs = new BoundedMap<string, Pay>();
  return {
    keep(pay) {
      numbers.set(pay.payNo, pay);
      refs.set(pay.ref, pay);
    },
    byNumber: (payNo) => numbers.get(payNo),
    byRef: (ref) => refs.get(ref),
  };
}
