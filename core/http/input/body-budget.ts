/**
 * Limits how many bytes of request bodies this process holds at the same time. Many large bodies must not exhaust the
 * memory, and senders without a key must not use up the capacity of merchants. A body is reserved as a whole before its
 * first byte is read. If bytes were reserved on arrival, partly received bodies would wait for each other, and a sender
 * who withholds the last byte would hold as much memory as a complete body.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toAddressBlock } from '../../base/net/address-block.ts';
import { unavailable } from '../../base/errors.ts';

export interface BodyBudget {
  /**
   * Reserves the declared length of the body, or `limitBytes`, until the answer was sent. The body is not read before.
   * `stranger` is the address of a sender without a key; all such senders share a part of the budget. Throws SYS002 if
   * no capacity became free in time.
   */
  reserve(request: IncomingMessage, response: ServerResponse, limitBytes: number, stranger?: string): Promise<void>;
}

/** A waiting body is not read: it stays in the buffers of its sender. */
const waitMs = 3000;
/** The share of the budget that senders without a key may hold: all together, and one address of them. */
const strangersPart = 1 / 2;
const addressPart = 1 / 8;

interface Pool {
  readonly size: number;
  free: number;
}

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * Requests that share a part of the budget, in order. Without the order, a large body could wait forever behind small
 * ones.
 */
interface Queue {
  /** The part that only this queue uses. For senders with a key it is the whole budget. */
  readonly share: Pool;
  readonly pools: readonly Pool[];
  readonly waiting: Set<Waiting>;
}

export function createBodyBudget(totalBytes: number): BodyBudget {
  const all = createPool(totalBytes);
  const strangers = createPool(totalBytes * strangersPart);
  const known: Queue = { share: all, pools: [all], waiting: new Set() };
  /** Queues of senders without a key, by address. The queue that was served last is at the end. */
  const queues = new Map<string, Queue>();
  /** True while a request waits for capacity that all share. Later senders without a key then wait too. */
  let isFull = false;

  function queueOf(name: string): Queue {
    const queue = queues.get(name);
    if (queue) return queue;
    const share = createPool(totalBytes * addressPart);
    const made = { share, pools: [share, strangers, all], waiting: new Set<Waiting>() };
    queues.set(name, made);
    return made;
  }

  function forget(name: string): void {
    const queue = queues.get(name);
    if (queue && queue.share.free === queue.share.size && queue.waiting.size === 0) queues.delete(name);
  }

  function startWaiting(): void {
    isFull = !startKnown() || !startUnknown();
  }

  /** Starts waiting requests of senders with a key. Returns false if one of them waits for shared capacity. */
  function startKnown(): boolean {
    for (const next of known.waiting) {
      if (!hasCapacity(known, next.bytes)) return false;
      known.waiting.delete(next);
      next.start();
    }
    return true;
  }

  /** The same for senders without a key, whose addresses take turns. */
  function startUnknown(): boolean {
    for (const [name, queue] of queues) {
      const [next] = queue.waiting;
      if (!next || next.bytes > queue.share.free) continue;
      if (!hasCapacity(queue, next.bytes)) return false;
      queues.delete(name);
      queues.set(name, queue);
      queue.waiting.delete(next);
      next.start();
    }
    return true;
  }

  /** Waits until it is the request's turn, then takes the bytes. */
  async function takeCapacity(queue: Queue, bytes: number): Promise<void> {
    const takeNow = (): void => {
      for (const pool of queue.pools) pool.free -= bytes;
    };
    const isNext = queue.waiting.size === 0;
    if (isNext && (queue === known || !isFull) && hasCapacity(queue, bytes)) return takeNow();
    if (isNext && (queue === known || bytes <= queue.share.free)) isFull = true;
    await new Promise<void>((resolve, reject) => {
      const entry = {
        bytes,
        start(): void {
          clearTimeout(timer);
          takeNow();
          resolve();
        },
      };
      const timer = setTimeout(() => {
        queue.waiting.delete(entry);
        startWaiting();
        reject(unavailable('too many large requests are in progress'));
      }, waitMs);
      queue.waiting.add(entry);
    });
  }

  return {
    async reserve(request, response, limitBytes, stranger) {
      const declared = Number(request.headers['content-length'] ?? Number.NaN);
      const hasBody = declared > 0 || request.headers['transfer-encoding'] !== undefined;
      if (!hasBody) return;
      const name = stranger === undefined ? undefined : toAddressBlock(stranger);
      const queue = name === undefined ? known : queueOf(name);
      // A body larger than a whole pool is accepted alone.
      const largest = Math.min(limitBytes, ...queue.pools.map(({ size }) => size));
      const bytes = Number.isNaN(declared) ? largest : Math.min(declared, largest);
      const release = (): void => {
        for (const pool of queue.pools) pool.free += bytes;
        startWaiting();
        if (name !== undefined) forget(name);
      };
      try {
        await takeCapacity(queue, bytes);
      } catch (error) {
        if (name !== undefined) forget(name);
        throw error;
      }
      if (response.closed) release();
      else response.once('close', release);
    },
  };
}

function createPool(bytes: number): Pool {
  const size = Math.floor(bytes);
  return { size, free: size };
}

function hasCapacity({ pools }: Queue, bytes: number): boolean {
  return pools.every(({ free }) => bytes <= free);
}
