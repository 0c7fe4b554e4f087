/** The payments of C's side. Every report about a payment starts here. */
import { randomUUID } from 'node:crypto';
import type { SandboxSetup } from '@paywright/contract';
import {
  amountRule,
  BoundedMap,
  createDeliveries,
  faulty,
  type AmountRule,
  type Message,
  type Reply,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { notify } from './forms.ts';
import { awaitsPayer, conclusion, decide, refuse, type Payment } from './payments.ts';

/** An abandoned challenge ends after 15 minutes. */
const CHALLENGE_MS = 15 * 60_000;

export type Opening = Pick<Payment, 'account' | 'order' | 'money' | 'threeDsWish' | 'note' | 'back'> & {
  readonly issuerBack?: string;
  /** Expiry of a hosted page, in Unix milliseconds. */
  readonly until?: number;
  readonly id?: string;
};

export interface Ledger {
  /** Creates a payment that nothing has reported yet. */
  make(opening: Opening): Payment;
  keep(payment: Payment): Payment;
  /** The current state of a payment. An expired page or challenge ends here, and the end is reported. */
  byReference(reference: string): Promise<Payment | undefined>;
  byId(id: string): Promise<Payment | undefined>;
  byTransaction(tds: string): Payment | undefined;
  /**
   * Decides by card and challenge, makes the answer of that state, and then reports. With `.55` it reports before it
   * answers.
   */
  settle(payment: Payment, answer: (payment: Payment) => Reply): Promise<Reply>;
  /** The payer cancelled. */
  cancel(payment: Payment): Promise<void>;
  play(scenario: readonly Message[], rule: AmountRule | undefined): Promise<void>;
  close(): Promise<void>;
}

export function createLedger({ delayMs, onDelivery }: SandboxSetup<Options>): Ledger {
  const references = new BoundedMap<string, Payment>();
  const ids = new BoundedMap<string, Payment>();
  const transactions = new BoundedMap<string, Payment>();
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: () => false, // Each form has its own acknowledgement.
    repeatAfter: [1, 2, 4, 8],
    onDelivery,
  });

  let count = 0;
  /** 19 digits, beyond 2^53: a reader that converts it to a number fails visibly. */
  const nextId = (): string => `7${Date.now()}${String(count++ % 100_000).padStart(5, '0')}`;

  const conclude = (payment: Payment): Promise<void> => deliveries.play(conclusion(payment, notify), payment.rule);

  async function current(payment: Payment | undefined): Promise<Payment | undefined> {
    if (!payment || !awaitsPayer(payment) || Date.now() <= payment.endsAt) return payment;
    if (payment.state === 'challenge') refuse(payment, 'auth_failed', '3D Secure was not finished', 'N');
    else Object.assign(payment, { state: 'lapsed', page: 'done' });
    await conclude(payment);
    return payment;
  }

  return {
    make: ({ until, id = nextId(), ...opening }) => ({
      ...opening,
      id,
      rule: amountRule(opening.money),
      tds: randomUUID(),
      endsAt: until ?? Date.now() + CHALLENGE_MS,
      state: 'pending',
      ...(until === undefined ? {} : { page: 'card' }),
      asked: 0n,
      returned: 0n,
      dispute: 'no',
    }),
    keep(payment) {
      references.set(payment.order.c_ref, payment);
      ids.set(payment.id, payment);
      transactions.set(payment.tds, payment);
      return payment;
    },
    byReference: (reference) => current(references.get(reference)),
    byId: (id) => current(ids.get(id)),
    byTransaction: (tds) => transactions.get(tds),
    async settle(payment, answer) {
      const scenario = decide(payment, notify);
      const reply = answer(payment);
      await deliveries.play(scenario, payment.rule);
      return faulty(reply, undefined, payment.card?.behaviour);
    },
    async cancel(payment) {
      Object.assign(payment, { state: 'usercancel', page: 'done' });
      await conclude(payment);
    },
    play: (scenario, rule) => deliveries.play(scenario, rule),
    close: () => deliveries.close(),
  };
}
