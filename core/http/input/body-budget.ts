/**
 * How many bytes of bodies this process holds at once: many large ones must not take its memory, and a sender who has shown
 * nothing yet must not take the room of those who have. A body is reserved as a whole before its first byte is read. Were it
 * reserved as it arrives, bodies that are there in part would wait for each other, and a stranger who sends all but the last
 * byte would hold as much.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toAddressBlock } from '../../base/net/address-block.ts';
import { unavailable } from '../../base/errors.ts';

export interface BodyBudget {
  /**
   * Reserves what a body may take, until its answer has left: its declared length, or `limitBytes`. It is not read before.
   * `stranger`: the address of who has neither a key nor proven an address; it has a share. Throws SYS002 where there was
   * no room in time.
   */
  reserve(request: IncomingMessage, response: ServerResponse, limitBytes: number, stranger?: string): Promise<void>;
}

/** What waits is not read: the sender's own buffers hold it. */
const waitMs = 3000;
/** Of the budget: what all strangers may hold, and what one address of them may. */
const strangersPart = 1 / 2;
const addressPart = 1 / 8;

interface Pool {
  readonly size: number;
  free: number;
}

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

/** Those who share, in order: a large body would else wait for ever behind small ones. */
interface Queue {
  /** What nobody outside the queue takes from; of those who are known, all there is. */
  readonly share: Pool;
  readonly pools: readonly Pool[];
  readonly waiting: Set<Waiting>;
}

export function createBodyBudget(totalBytes: number): BodyBudget {
  const all = createPool(totalBytes);
  const strangers = createPool(totalBytes * strangersPart);
  const known: Queue = { share: all, pools: [all], waiting: new Set() };
  /** Of strangers, by address; the one whose turn was last is at the end. */
  const queues = new Map<string, Queue>();
  /** Somebody waits for room that all share: strangers who come later wait, too. */
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

  function beginSome(): void {
    isFull = !beginKnown() || !beginStrangers();
  }

  /** False: somebody waits for room that all share. */
  function beginKnown(): boolean {
    for (const next of known.waiting) {
      if (!hasRoom(known, next.bytes)) return false;
      known.waiting.delete(next);
      next.begin();
    }
    return true;
  }

  /** The same of strangers, who come in turns. */
  function beginStrangers(): boolean {
    for (const [name, queue] of queues) {
      const [next] = queue.waiting;
      if (!next || next.bytes > queue.share.free) continue;
      if (!hasRoom(queue, next.bytes)) return false;
      queues.delete(name);
      queues.set(name, queue);
      queue.waiting.delete(next);
      next.begin();
    }
    return true;
  }

  /** Takes the bytes once it is their turn. */
  async function take(queue: Queue, bytes: number): Promise<void> {
    const takeNow = (): void => {
      for (const pool of queue.pools) pool.free -= bytes;
    };
    const isNext = queue.waiting.size === 0;
    if (isNext && (queue === known || !isFull) && hasRoom(queue, bytes)) return takeNow();
    if (isNext && (queue === known || bytes <= queue.share.free)) isFull = true;
    await new Promise<void>((resolve, reject) => {
      const entry = {
        bytes,
        begin(): void {
          clearTimeout(timer);
          takeNow();
          resolve();
        },
      };
      const timer = setTimeout(() => {
        queue.waiting.delete(entry);
        beginSome();
        reject(unavailable('too many large requests are under way'));
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
      // A body larger than all there is of a pool is let through alone.
      const largest = Math.min(limitBytes, ...queue.pools.map(({ size }) => size));
      const bytes = Number.isNaN(declared) ? largest : Math.min(declared, largest);
      const release = (): void => {
        for (const pool of queue.pools) pool.free += bytes;
        beginSome();
        if (name !== undefined) forget(name);
      };
      try {
        await take(queue, bytes);
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

function hasRoom({ pools }: Queue, bytes: number): boolean {
  return pools.every(({ free }) => bytes <= free);
}
