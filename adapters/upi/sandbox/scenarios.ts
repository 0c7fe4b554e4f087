/** The switch's callbacks in their order, each one sandbox delay after the one before. */
import type { Message } from '@paywright/contract/sandbox';
import type { Hooks, Notice } from './hooks.ts';
import type { Step } from './payers.ts';
import { newNumber, reach, ruleOf, type Transaction } from './transactions.ts';

export interface Refund {
  readonly r_txn: string;
  readonly paise: string;
  state: 'REFUND_PENDING' | 'REFUND_DONE' | 'REFUND_FAILED' | 'REFUND_REVERSED';
}

/** The remaining states of the payment and the events after them. Empty if none remain. */
export function paymentScenario(transaction: Transaction, reports: readonly Step[], hooks: Hooks): readonly Message[] {
  const { rule, behaviour, hook: url } = transaction;
  const [first] = reports;
  if (!first) return [];
  // A deemed payment already waits before it ends.
  const before: readonly Step[] = rule === '.56' && first.state !== 'DEEMED' ? [{ state: 'PENDING' }] : [];
  const messages = [...before, ...reports].map((step, at) => {
    const happens = (): void => {
      // The answer already had the waiting state. Its report may come after the end.
      if (step.state !== 'PENDING' && step.state !== 'DEEMED') reach(transaction, step);
    };
    return hooks.notify(step.state, () => paymentNotice(transaction, step), { url, after: at + 1, happens });
  });
  const after = messages.length + 1;
  if (behaviour.follows === 'refund') {
    transaction.asked = BigInt(transaction.paise);
    return [...messages, ...refundScenario(transaction, newRefund(transaction.paise), hooks, after)];
  }
  return behaviour.follows === 'dispute' ? [...messages, ...disputeScenario(transaction, hooks, after)] : messages;
}

function paymentNotice(transaction: Transaction, { state, why, late }: Step): Notice {
  const { u_txn, gw_ref, paise, mode, vpa, rrn } = transaction;
  const paid = state === 'COMPLETED' || state === 'DEEMED';
  return {
    u_txn,
    gw_ref,
    paise,
    mode,
    state,
    why: why ?? null,
    vpa: vpa ?? (paid ? 'payer@okbank' : null),
    rrn: paid ? rrn : null,
    ...(late ? { late } : {}),
  };
}

function disputeScenario(transaction: Transaction, hooks: Hooks, after: number): readonly Message[] {
  const d_no = newNumber('D');
  return ['DISPUTED', 'DISPUTE_LOST'].map((state, at) => {
    const notice = (): Notice => ({ ...paymentNotice(transaction, { state: 'COMPLETED' }), rrn: null, state, d_no });
    return hooks.notify(state, notice, { url: transaction.hook, after: after + at });
  });
}

export function newRefund(paise: string): Refund {
  return { r_txn: newNumber('R'), paise, state: 'REFUND_PENDING' };
}

/** The end of a refund: by its own amount `.58` fails, and `.59` is done and then reversed. */
export function refundScenario(
  transaction: Transaction,
  refund: Refund,
  hooks: Hooks,
  after: number,
): readonly Message[] {
  const { r_txn, paise } = refund;
  const rule = ruleOf(paise);
  const states = [
    rule === '.58' ? ('REFUND_FAILED' as const) : ('REFUND_DONE' as const),
    ...(rule === '.59' ? (['REFUND_REVERSED'] as const) : []),
  ];
  return states.map((state, at) => {
    const happens = (): void => {
      refund.state = state;
      if (state !== 'REFUND_DONE') transaction.asked -= BigInt(paise);
    };
    const notice = (): Notice => ({
      ...paymentNotice(transaction, { state: 'COMPLETED' }),
      rrn: null,
      paise,
      state,
      r_txn,
    });
    return hooks.notify(state, notice, { url: transaction.hook, after: after + at, happens });
  });
}
