/** Creates payments, callbacks and refunds until it is stopped, and records what was acknowledged and when. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cardBody } from '../support/bodies.ts';
import { call, type Answer } from '../faults/load.ts';
import { amounts, deliverCallback, paidCallback, providerCode } from '../faults/provider.ts';
import type { Service } from '../faults/service.ts';

export interface Played {
  readonly id: number;
  /** The `Idempotency-Key` of the request, and the bytes sent under it. */
  readonly key: string;
  readonly body: string;
  /** True if the payment was charged immediately. Otherwise its callback pays it. */
  readonly isCharged: boolean;
  /** Time of each acknowledgement. Absent if there was none, or if the step does not apply. */
  readonly madeAt: number;
  paidAt?: number;
  refundedAt?: number;
}

export const waitingAmount = 10;
export const refundedAmount = 2;
/** Delay before a failed request is repeated. */
const repeatMs = 250;

export interface Load {
  readonly played: readonly Played[];
  /** Resolves once every loop has ended, because the service was killed or the signal fired. */
  readonly over: Promise<void>;
}

/**
 * One payment in three waits for its callback, which arrives immediately or up to 4 s later. One is charged. One is
 * charged and refunded.
 */
export function startLoad(
  service: Pick<Service, 'url' | 'key'>,
  notifyUrl: string,
  lanes: number,
  { signal }: AbortController,
): Load {
  const played: Played[] = [];
  let count = 0;

  /** Repeats as merchants and providers do: a restarting or busy service sometimes refuses. */
  async function sendUntilAccepted(send: () => Promise<{ readonly status: number }>): Promise<boolean> {
    while (!signal.aborted) {
      const { status } = await send().catch(() => ({ status: 0 }));
      if (status === 200) return !signal.aborted;
      await sleep(repeatMs);
    }
    return false;
  }

  async function play(number: number): Promise<void> {
    const kind = number % 3;
    const isCharged = kind > 0;
    const amount = isCharged ? amounts.charged : waitingAmount;
    const [key, email] = [`restore ${number}`, `payer-${number % 40}@shop.example`];
    const body = cardBody('4111111111111111', amount, { notifyUrl, email });
    let id = 0;
    const isMade = await sendUntilAccepted(async () => {
      const answer = await call(service, `/payments/h2h/${providerCode}`, body, { 'Idempotency-Key': key });
      ({ id } = answer);
      return answer;
    });
    if (!isMade) return;
    const one: Played = { id, key, body, isCharged, madeAt: Date.now() };
    played.push(one);
    // A later callback delays nothing else.
    if (kind === 0) void deliverLater(one, number % 2 ? 4000 : 0);
    if (kind === 2) await refund(one);
  }

  async function deliverLater(one: Played, ms: number): Promise<void> {
    await sleep(ms);
    const callback = paidCallback(`GW-${one.id}-1`, waitingAmount);
    if (await sendUntilAccepted(async () => deliverCallback(service.url, callback))) one.paidAt = Date.now();
  }

  async function refund(one: Played): Promise<void> {
    const body = JSON.stringify({ amount: refundedAmount });
    const headers = { 'Idempotency-Key': `${one.key} refund` };
    const send = async (): Promise<Answer> => call(service, `/payment-requests/${one.id}/refund`, body, headers);
    if (await sendUntilAccepted(send)) one.refundedAt = Date.now();
  }

  const playInTurn = async (): Promise<void> => {
    while (!signal.aborted) {
      count += 1;
      await play(count);
    }
  };
  return { played, over: Promise.all(Array.from({ length: lanes }, playInTurn)).then(() => undefined) };
}
