/**
 * The comparison, without database access: sums the rows of the file per movement of money, and compares the sums with
 * our movements.
 */
import { compareDecimals, decimalsOf, divideDecimals, isCurrency, readReference } from '@paywright/contract';
import { idsOf, type Attempt } from '../database/collections/attempt.ts';
import type { DifferenceKind, SettlementDifference } from '../database/collections/settlement-run.ts';
import { accountNameOf, mainAccount } from '../engine/providers/index.ts';
import type { RowKind } from './mapping.ts';
import { movementsOf, type Movement, type OurPayment } from './movements.ts';
import type { SettlementRow } from './read-rows.ts';
import { addSigned, type Signed } from './signed.ts';

export interface ComparisonOptions {
  readonly adapter: string;
  /** The name of the account of the file. Absent: the file is about all accounts of the adapter. */
  readonly account?: string | undefined;
  /** True: test payments. */
  readonly sandbox: boolean;
  /** False: the config does not have the fee of the provider, so every fee would differ. */
  readonly comparesFees: boolean;
  readonly onDifference: (difference: SettlementDifference) => void;
}

export interface Comparison {
  /** Adds rows. `payments` are the payments that the references of these rows name, of any adapter. */
  take(rows: readonly SettlementRow[], payments: readonly OurPayment[]): void;
  /** Compares the sums; call after the last row. Returns how many movements match. */
  compareTaken(): number;
  /**
   * What is wrong with the choice of provider or mode, as a sentence: every payment that the rows name belongs to
   * another one. Undefined: the choice is right, or the rows name no payment.
   */
  wrongChoice(): string | undefined;
  /** Reports the movements between the two times that the file lacks. */
  lookFor(payment: OurPayment, from: Date, to: Date): void;
}

/** The sum of the file for one movement. */
interface Tally {
  readonly movement: Movement;
  readonly line: number;
  readonly amount: Signed;
  readonly fee: Signed | null;
  readonly feeCurrency: string;
  /** A currency other than ours is reported; the amounts then cannot be compared. */
  readonly currency: string;
}

interface Found {
  readonly payment: OurPayment;
  readonly attempt: Attempt;
}

export function createComparison(options: ComparisonOptions): Comparison {
  const { adapter, account, sandbox, comparesFees, onDifference } = options;
  const chosen = account === undefined ? adapter : accountNameOf({ adapter, account });
  const tallies = new Map<string, Tally>();
  /** The number of rows by the payment that they name. */
  const named = { own: 0, otherMode: 0, other: new Map<string, number>() };

  function noteNamed(attempt: Attempt): void {
    const other = otherOwner(attempt, options);
    if (other !== undefined) named.other.set(other, (named.other.get(other) ?? 0) + 1);
    else if (attempt.sandbox === sandbox) named.own += 1;
    else named.otherMode += 1;
  }

  function report(
    kind: DifferenceKind,
    about: { readonly row: RowKind; readonly line: number | null; readonly note?: string },
    here: Partial<Pick<Movement, 'paymentId' | 'reference' | 'providerReference' | 'amount' | 'currency'>>,
    there: { readonly amount?: string; readonly currency?: string } = {},
  ): void {
    onDifference({
      kind,
      row: about.row,
      line: about.line,
      paymentId: here.paymentId ?? null,
      reference: here.reference ?? null,
      providerReference: here.providerReference ?? null,
      hereAmount: here.amount ?? null,
      hereCurrency: here.currency ?? null,
      thereAmount: there.amount ?? null,
      thereCurrency: there.currency ?? null,
      note: about.note ?? null,
    });
  }

  function reportMissingHere(row: SettlementRow, found: Found | undefined): void {
    const { kind, line, reference, providerReference, subReference, amount, currency } = row;
    report(
      'missing_here',
      { row: kind, line, note: whyMissing(row, found, options) },
      {
        ...(found && { paymentId: found.payment._id }),
        ...(reference !== null && { reference }),
        providerReference: (kind === 'payment' ? null : subReference) ?? providerReference,
      },
      { amount: amount.amount, currency },
    );
  }

  function takeRow(row: SettlementRow, found: Found | undefined): void {
    if (row.kind === 'fee') return;
    if (found) noteNamed(found.attempt);
    const movement =
      found && isOf(found.attempt, options)
        ? choose(row, movementsOf(found.payment, found.attempt), tallies)
        : undefined;
    if (!movement) return reportMissingHere(row, found);
    // A reversed movement exists: its amount is the amount of the reversal's original.
    if (row.kind === 'refund_reversed' || row.kind === 'chargeback_reversed') return;
    const known = tallies.get(movement.key);
    const { line, amount, currency, fee, feeCurrency } = row;
    tallies.set(movement.key, {
      movement,
      line: known?.line ?? line,
      amount: known ? addSigned(known.amount, amount) : amount,
      fee: known?.fee && fee ? addSigned(known.fee, fee) : (fee ?? known?.fee ?? null),
      feeCurrency,
      currency: known && known.currency !== movement.currency ? known.currency : currency,
    });
  }

  /** True: no difference. */
  function compare({ movement, line, amount, fee, feeCurrency, currency }: Tally): boolean {
    const about = { row: movement.kind, line };
    const there = { amount: amount.amount, currency };
    if (currency !== movement.currency) {
      report('currency', about, movement, there);
      return false;
    }
    const isSame = movement.amount === null || compareDecimals(movement.amount, amount.amount) === 0;
    if (!isSame) report('amount', about, movement, there);
    const ownFee = comparesFees ? movement.fee : null;
    if (ownFee === null || fee === null || feeCurrency !== movement.currency) return isSame;
    if (compareDecimals(rounded(fee.amount, feeCurrency), rounded(ownFee, feeCurrency)) === 0) return isSame;
    report('fee', about, { ...movement, amount: ownFee }, { amount: fee.amount, currency: feeCurrency });
    return false;
  }

  return {
    take(rows, payments) {
      const find = createFind(payments, adapter);
      for (const row of rows) takeRow(row, find(row));
    },
    compareTaken() {
      let agreeing = 0;
      for (const tally of tallies.values()) if (compare(tally)) agreeing += 1;
      return agreeing;
    },
    wrongChoice() {
      const [mode, otherMode] = sandbox ? ['test', 'live'] : ['live', 'test'];
      if (named.own > 0) return undefined;
      if (named.otherMode > 0)
        return `${rowsText(named.otherMode)} ${otherMode} payments of ${chosen}, and none names a ${mode} payment: compare the file with ${otherMode} payments`;
      const [other] = [...named.other].toSorted(([, one], [, two]) => two - one);
      return (
        other &&
        `${rowsText(other[1])} payments of ${other[0]}, and none names a payment of ${chosen}: choose the ${account === undefined ? 'provider' : 'account'} of the file`
      );
    },
    lookFor(payment, from, to) {
      for (const attempt of payment.attempts.filter((one) => isOf(one, options))) {
        for (const movement of movementsOf(payment, attempt)) {
          const { at, isDone, key, kind } = movement;
          const isIn = isDone && at !== null && at >= from && at < to;
          if (isIn && !tallies.has(key)) report('missing_there', { row: kind, line: null }, movement);
        }
      }
    },
  };
}

type Chosen = Pick<ComparisonOptions, 'adapter' | 'account' | 'sandbox'>;

function isOf(attempt: Attempt, chosen: Chosen): boolean {
  return otherOwner(attempt, chosen) === undefined && attempt.sandbox === chosen.sandbox;
}

/** The adapter or the account that the attempt belongs to. Undefined: it belongs to those that were chosen. */
function otherOwner(attempt: Attempt, { adapter, account }: Chosen): string | undefined {
  if (attempt.adapter !== adapter) return attempt.adapter;
  const isOther = account !== undefined && (attempt.account ?? mainAccount) !== account;
  return isOther ? accountNameOf(attempt) : undefined;
}

/**
 * Finds the payment by our reference; otherwise by the provider's reference of the payment or its refund. An id that
 * several payments have, and none as its primary reference, finds none of them.
 */
function createFind(payments: readonly OurPayment[], adapter: string): (row: SettlementRow) => Found | undefined {
  const ours = new Map<string, Found>();
  const theirs = new Map<string, Found>();
  const byOtherId = new Map<string, Found | undefined>();
  for (const payment of payments) {
    for (const attempt of payment.attempts) {
      const found = { payment, attempt };
      ours.set(attempt.reference, found);
      if (attempt.adapter !== adapter) continue;
      if (attempt.providerReference !== null) theirs.set(attempt.providerReference, found);
      for (const id of idsOf(attempt)) {
        const isShared = byOtherId.has(id) && byOtherId.get(id)?.payment !== payment;
        byOtherId.set(id, isShared ? undefined : found);
      }
    }
    const subs = [
      ...payment.refunds,
      ...payment.reportedRefunds.map((one) => ({ ...one, providerReference: one.subReference })),
    ];
    for (const { attempt: n, providerReference } of subs) {
      const attempt = payment.attempts[n - 1];
      if (attempt?.adapter === adapter && providerReference !== null)
        theirs.set(`sub ${providerReference}`, { payment, attempt });
    }
  }
  return ({ kind, reference, providerReference, subReference }) => {
    // For a payment, the sub-reference is the id of its charge or capture.
    const sub = kind === 'payment' ? '' : (subReference ?? '');
    return (
      ours.get(attemptReferenceOf(reference ?? '') ?? attemptReferenceOf(sub) ?? '') ??
      theirs.get(providerReference ?? '') ??
      byOtherId.get(providerReference ?? '') ??
      theirs.get(`sub ${sub}`)
    );
  };
}

/**
 * Converts the reference of an attempt, refund or capture to the reference of the attempt; undefined if it is not ours.
 */
export function attemptReferenceOf(reference: string): string | undefined {
  const attempt = reference.replace(/-[A-Z]\d{1,3}$/, '');
  return readReference(attempt) && attempt;
}

/**
 * The movement of a row: the one it names; otherwise one with the same amount that the file has not shown yet;
 * otherwise any such movement.
 */
function choose(
  row: SettlementRow,
  movements: readonly Movement[],
  tallies: ReadonlyMap<string, Tally>,
): Movement | undefined {
  const { kind, reference, subReference, amount } = row;
  if (kind === 'payment') return movements.find((one) => one.kind === 'payment');
  const isReversal = kind === 'refund_reversed' || kind === 'chargeback_reversed';
  const wanted = kind.startsWith('refund') ? 'refund' : 'chargeback';
  const fitting = movements.filter((one) => one.kind === wanted && (!isReversal || one.isReversed));
  const named = fitting.find(
    ({ key, providerReference }) =>
      key === reference || key === subReference || (providerReference ?? '') === subReference,
  );
  if (named || isReversal) return named ?? fitting[0];
  const free = fitting.filter(({ key }) => !tallies.has(key));
  const same = free.find((one) => one.amount !== null && compareDecimals(one.amount, amount.amount) === 0);
  // Only if it cannot be another movement that the row names.
  return same ?? free.find(({ providerReference }) => subReference === null || providerReference === null);
}

function whyMissing({ kind }: SettlementRow, found: Found | undefined, chosen: Chosen): string {
  if (!found) return 'no payment has these references';
  const { attempt } = found;
  const other = otherOwner(attempt, chosen);
  if (other !== undefined) return `${attempt.reference} belongs to ${other}`;
  if (attempt.sandbox !== chosen.sandbox)
    return `${attempt.reference} is a ${attempt.sandbox ? 'test' : 'live'} payment`;
  if (kind === 'payment') return `${attempt.reference} is ${attempt.outcome} here`;
  return `${attempt.reference} has no such ${kind.replace('_', ' ')} here`;
}

/** Providers calculate fees with more decimals than they charge. */
function rounded(amount: string, currency: string): string {
  return isCurrency(currency) ? divideDecimals(amount, '1', decimalsOf(currency)) : amount;
}

function rowsText(count: number): string {
  return count === 1 ? '1 row names' : `${count} rows name`;
}
