/**
 * Decides when verifications start. Verifying a callback costs time of the event loop before the sender is known.
 * Therefore one address has few verifications in progress, addresses take turns, and waiting verifications must not
 * crowd out other work of an event loop turn.
 */
import { toAddressBlock } from '../../base/net/address-block.ts';

export interface VerificationTurns {
  /** Returns the result of `work`. Undefined if its turn took too long to come: `work` did not run. */
  run<T>(remoteAddress: string, work: () => Promise<T>): Promise<T | undefined>;
}

export interface VerificationLimits {
  /**
   * In progress at the same time, of all addresses. Most verifications wait for nothing, some for a key of the
   * provider.
   */
  readonly total: number;
  readonly perAddress: number;
  readonly waitingPerAddress: number;
  readonly waitMs: number;
}

const defaults: VerificationLimits = { total: 64, perAddress: 8, waitingPerAddress: 500, waitMs: 3000 };
/** How long verifications may start one after the other before the other work of the process gets its turn. */
const sliceMs = 5;

interface Queue {
  running: number;
  readonly waiting: (() => void)[];
}

export function createVerificationTurns(limits: Partial<VerificationLimits> = {}): VerificationTurns {
  const { total, perAddress, waitingPerAddress, waitMs } = { ...defaults, ...limits };
  /** The queue of each address. The address that was served last is at the end. */
  const queues = new Map<string, Queue>();
  let running = 0;
  /** Time that verifications have used in this turn of the event loop; undefined: none has started in it. */
  let usedMs: number | undefined;

  /** Runs after everything else in this turn of the event loop. */
  function endTurn(): void {
    usedMs = undefined;
    beginSome();
  }

  /** Starts the verifications that may start now. The others wait for the next turn of the event loop. */
  function beginSome(): void {
    for (let next = nextQueue(); next; next = nextQueue()) {
      if (usedMs === undefined) {
        usedMs = 0;
        setImmediate(endTurn);
      }
      if (usedMs >= sliceMs) return;
      const [name, queue] = next;
      queues.delete(name);
      queues.set(name, queue);
      const began = performance.now();
      queue.waiting.shift()!();
      usedMs += performance.now() - began;
    }
  }

  function nextQueue(): [string, Queue] | undefined {
    if (running >= total) return undefined;
    for (const entry of queues) if (entry[1].waiting.length && entry[1].running < perAddress) return entry;
    return undefined;
  }

  return {
    async run(remoteAddress, work) {
      const name = toAddressBlock(remoteAddress);
      const queue = queues.get(name) ?? { running: 0, waiting: [] };
      if (queue.waiting.length >= waitingPerAddress) return undefined;
      queues.set(name, queue);
      try {
        return await new Promise((resolve, reject) => {
          let timer: NodeJS.Timeout | undefined;
          const begin = (): void => {
            clearTimeout(timer);
            queue.running += 1;
            running += 1;
            const end = (): void => {
              queue.running -= 1;
              running -= 1;
              beginSome();
            };
            work().finally(end).then(resolve, reject);
          };
          queue.waiting.push(begin);
          beginSome();
          if (!queue.waiting.includes(begin)) return;
          timer = setTimeout(() => {
            queue.waiting.splice(queue.waiting.indexOf(begin), 1);
            resolve(undefined);
          }, waitMs);
        });
      } finally {
        if (!queue.running && !queue.waiting.length && queues.get(name) === queue) queues.delete(name);
      }
    },
  };
}
