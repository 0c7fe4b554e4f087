/** Merchants who submit under an `Idempotency-Key` and refund, and repeat each request until some host answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { call, type Answer } from './load.ts';
import { deliverUntilAcknowledged, paidCallback, providerCode, type FaultsProvider } from './provider.ts';

/** No other load uses this amount, so any other charge of it was made twice. */
const amount = 12;
const back = 4;
/** One payment in this many is refunded in part after it is paid. */
const refundedOneIn = 3;
/**
 * A merchant gives up after this time. Work that lost the database cannot release its lease of the key, and holds it
 * for 60 s after the failover.
 */
const patienceMs = 150_000;

export interface KeyedLoadOptions {
  /** The host for the next try. */
  readonly nextUrl: () => string;
  readonly key: string;
  readonly notifyUrl: string;
  readonly provider: FaultsProvider;
  readonly perSecond: number;
}

export interface KeyedLoad {
  /** Stops new submits, waits for those in progress, and compares them with the requests that the provider received. */
  end(): Promise<{
    /** Payments that were submitted and paid. */
    readonly ids: readonly number[];
    /**
     * Submits that got a response and never reached the provider: the payment is pending until a status fetch finds
     * out.
     */
    readonly uncharged: number;
    readonly refunds: number;
    readonly problems: readonly string[];
  }>;
}

export function startKeyedLoad({ nextUrl, key, notifyUrl, provider, perSecond }: KeyedLoadOptions): KeyedLoad {
  const began = performance.now();
  const before = new Set(provider.charges.keys());
  const ended = new AbortController();
  const { signal } = ended;
  const problems: string[] = [];
  const ids: number[] = [];
  const uncharged = new Set<string>();
  const refunded = new Set<number>();
  const running = new Set<Promise<void>>();
  const beginning = begin();

  async function begin(): Promise<void> {
    for (let number = 0; !signal.aborted; number += 1) {
      const one: Promise<void> = play(number)
        .catch((error: unknown) => void problems.push(`submit ${number}: ${String(error)}`))
        .finally(() => running.delete(one));
      running.add(one);
      const dueMs = ((number + 1) * 1000) / perSecond - (performance.now() - began);
      await sleep(Math.max(dueMs, 0), undefined, { signal }).catch(() => undefined);
    }
  }

  async function play(number: number): Promise<void> {
    const body = cardBody('4111111111111111', amount, { notifyUrl });
    const { id } = await repeat(`/payments/h2h/${providerCode}`, body, `submit ${began} ${number}`);
    const reference = `GW-${id}-1`;
    if (!provider.charges.has(reference)) return void uncharged.add(reference);
    await deliverUntilAcknowledged(nextUrl(), paidCallback(reference, amount));
    ids.push(id);
    if (number % refundedOneIn !== 0) return;
    refunded.add(id);
    await repeat(`/payment-requests/${id}/refund`, JSON.stringify({ amount: back }), `refund ${began} ${number}`);
  }

  const repeat = async (path: string, body: string, idempotencyKey: string): Promise<Answer> =>
    callUntilAccepted(() => ({ url: nextUrl(), key }), path, body, idempotencyKey);

  const refundsOf = (id: number): number =>
    [...provider.refunds.values()].filter(({ charge }) => charge.startsWith(`GW-${id}-`)).length;

  return {
    async end() {
      ended.abort();
      await beginning;
      await Promise.all(running);
      // A worker may complete accepted requests. Missing refunds are counted below.
      await until('the refunds are made', () => [...refunded].every((id) => refundsOf(id) > 0), patienceMs).catch(
        () => undefined,
      );
      const charged = [...provider.charges]
        .filter(([reference, charge]) => !before.has(reference) && charge.amount === amount)
        .map(([reference]) => reference);
      const wanted = new Set(ids.map((id) => `GW-${id}-1`));
      const unwanted = charged.filter((reference) => !wanted.has(reference) && !uncharged.has(reference));
      if (unwanted.length) problems.push(`charges that no response mentions: ${unwanted.join(', ')}`);
      // Submits whose attempt was just being stored. A status fetch finds out that nothing was charged.
      if (uncharged.size > perSecond) problems.push(`never reached the provider: ${[...uncharged].join(', ')}`);
      if (wanted.size < ids.length) problems.push(`${ids.length} keys made ${wanted.size} payments`);
      for (const id of ids) {
        const [given, asked] = [refundsOf(id), refunded.has(id) ? 1 : 0];
        if (given !== asked) problems.push(`payment ${id} was refunded ${given} times, expected ${asked}`);
      }
      return { ids, uncharged: uncharged.size, refunds: refunded.size, problems };
    },
  };
}

/** Repeats under the same key until success: work that already started is answered, and never done twice. */
async function callUntilAccepted(
  next: () => { readonly url: string; readonly key: string },
  path: string,
  body: string,
  idempotencyKey: string,
): Promise<Answer> {
  const from = performance.now();
  for (;;) {
    const answer = await call(next(), path, body, { 'Idempotency-Key': idempotencyKey }).catch(() => undefined);
    if (answer?.status === 200) return answer;
    if (performance.now() - from > patienceMs)
      throw new Error(`${path} was never accepted: ${answer?.status} ${JSON.stringify(answer?.json)}`);
    await sleep(250);
  }
}
