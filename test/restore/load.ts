/** Payments, their callbacks and their refunds until told to stop, and what of them was acknowledged, and when. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cardBody } from '../support/bodies.ts';
import { call } from '../faults/load.ts';
import { amounts, deliverCallback, paidCallback, providerCode } from '../faults/provider.ts';
import type { Service } from '../faults/service.ts';

export interface Played {
  readonly id: number;
  /** Of its `Idempotency-Key`, and the bytes sent under it. */
  readonly key: string;
  readonly body: string;
  /** What was charged at once; else it is paid by its callback. */
  readonly isCharged: boolean;
  /** When each was acknowledged; absent: it was not, or not wanted. */
  readonly madeAt: number;
  paidAt?: number;
  refundedAt?: number;
}

export const waitingAmount = 10;
export const refundedAmount = 2;

export interface Load {
  readonly played: readonly Played[];
  /** Resolves once every lane has met the end: the service that was killed, or the signal. */
  readonly over: Promise<void>;
}

/** One in three waits for its callback, which comes at once or up to 4 s later; one is charged; one charged and refunded. */
export function startLoad(
  service: Pick<Service, 'url' | 'key'>,
  notifyUrl: string,
  lanes: number,
  { signal }: AbortController,
): Load {
  const played: Played[] = [];
  let count = 0;

  async function play(number: number): Promise<void> {
    const kind = number % 3;
    const isCharged = kind > 0;
    const amount = isCharged ? amounts.charged : waitingAmount;
    const [key, email] = [`restore ${number}`, `payer-${number % 40}@shop.example`];
    const body = cardBody('4111111111111111', amount, { notifyUrl, email });
    const made = await call(service, `/payments/h2h/${providerCode}`, body, { 'Idempotency-Key': key });
    if (made.status !== 200) throw new Error(`a payment was answered ${made.status}: ${JSON.stringify(made.json)}`);
    const one: Played = { id: made.id, key, body, isCharged, madeAt: Date.now() };
    played.push(one);
    if (kind === 0) {
      // Nobody is kept waiting for a callback that comes later.
      void deliverLater(one, number % 2 ? 4000 : 0);
    } else if (kind === 2) {
      const path = `/payment-requests/${one.id}/refund`;
      const refund = JSON.stringify({ amount: refundedAmount });
      const { status } = await call(service, path, refund, { 'Idempotency-Key': `${key} refund` });
      if (status === 200) one.refundedAt = Date.now();
    }
  }

  async function deliverLater(one: Played, ms: number): Promise<void> {
    await sleep(ms);
    const { status } = await deliverCallback(service.url, paidCallback(`GW-${one.id}-1`, waitingAmount));
    if (status === 200) one.paidAt = Date.now();
  }

  const lane = async (): Promise<void> => {
    while (!signal.aborted) {
      count += 1;
      // What the killed service did not answer is no acknowledgement.
      await play(count).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  };
  return { played, over: Promise.all(Array.from({ length: lanes }, lane)).then(() => undefined) };
}
