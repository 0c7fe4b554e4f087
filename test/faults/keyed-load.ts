/** Merchants who submit under an `Idempotency-Key` and refund, again until they have an answer, wherever one is to be had. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { call, type Answer } from './load.ts';
import { deliverUntilAcknowledged, paidCallback, providerCode, type FaultsProvider } from './provider.ts';

/** No other load pays this much: whatever else is charged of it was charged twice. */
const amount = 12;
const back = 4;
/** One in so many is refunded in part once it is paid. */
const refundedOneIn = 3;
/**
 * A merchant gives up after so long. What ran without a database cannot end its lease of the key, and keeps it for 60 s
 * after the failover.
 */
const patienceMs = 150_000;

export interface KeyedLoadSetup {
  /** The host that the next try goes to. */
  readonly nextUrl: () => string;
  readonly key: string;
  readonly notifyUrl: string;
  readonly provider: FaultsProvider;
  readonly perSecond: number;
}

export interface KeyedLoad {
  /** No further submits; waits for those under way, and compares them with what the provider was asked for. */
  end(): Promise<{
    /** Payments that were submitted and paid. */
    readonly ids: readonly number[];
    /** Submits that were answered and never reached the provider: the payment is pending until that is found out. */
    readonly uncharged: number;
    readonly refunds: number;
    readonly problems: readonly string[];
  }>;
}

export function startKeyedLoad({ nextUrl, key, notifyUrl, provider, perSecond }: KeyedLoadSetup): KeyedLoad {
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

  /** Under the same key until it is taken: what was begun before is answered, and never done twice. */
  async function repeat(path: string, body: string, idempotencyKey: string): Promise<Answer> {
    const from = performance.now();
    for (;;) {
      const headers = { 'Idempotency-Key': idempotencyKey };
      const answer = await call({ url: nextUrl(), key }, path, body, headers).catch(() => undefined);
      if (answer?.status === 200) return answer;
      if (performance.now() - from > patienceMs)
        throw new Error(`${path} was never taken: ${answer?.status} ${JSON.stringify(answer?.json)}`);
      await sleep(250);
    }
  }

  const refundsOf = (id: number): number =>
    [...provider.refunds.values()].filter(({ charge }) => charge.startsWith(`GW-${id}-`)).length;

  return {
    async end() {
      ended.abort();
      await beginning;
      await Promise.all(running);
      // What was taken may be brought to its end by a worker; what is missing is counted below.
      await until('the refunds are given', () => [...refunded].every((id) => refundsOf(id) > 0), patienceMs).catch(
        () => undefined,
      );
      const charged = [...provider.charges]
        .filter(([reference, charge]) => !before.has(reference) && charge.amount === amount)
        .map(([reference]) => reference);
      const wanted = new Set(ids.map((id) => `GW-${id}-1`));
      const unwanted = charged.filter((reference) => !wanted.has(reference) && !uncharged.has(reference));
      if (unwanted.length) problems.push(`charged beside the answers to the keys: ${unwanted.join(', ')}`);
      // Those whose attempt was just being stored; a status fetch finds out that nothing was charged.
      if (uncharged.size > perSecond) problems.push(`never reached the provider: ${[...uncharged].join(', ')}`);
      if (wanted.size < ids.length) problems.push(`${ids.length} keys made ${wanted.size} payments`);
      for (const id of ids) {
        const [given, asked] = [refundsOf(id), refunded.has(id) ? 1 : 0];
        if (given !== asked) problems.push(`payment ${id} was refunded ${given} times, and not ${asked}`);
      }
      return { ids, uncharged: uncharged.size, refunds: refunded.size, problems };
    },
  };
}
