/**
 * When verifications begin. Proving a callback costs the event loop its time before anybody knows who sends it: so one
 * address has few under way, addresses take turns, and what waits may not crowd out everything else of a turn of the loop.
 */
import { toAddressBlock } from '../../base/net/address-block.ts';

export interface VerificationTurns {
  /** What `work` gives once its turn has come; undefined where that took too long, and nothing was done. */
  run<T>(remoteAddress: string, work: () => Promise<T>): Promise<T | undefined>;
}

export interface VerificationLimits {
  /** Under way at once, of all addresses: most wait for nothing, some for a key of the provider. */
  readonly total: number;
  readonly perAddress: number;
  readonly waitingPerAddress: number;
  readonly waitMs: number;
}

const defaults: VerificationLimits = { total: 64, perAddress: 8, waitingPerAddress: 500, waitMs: 3000 };
/** How long verifications may begin one after the other before everything else of the process has its turn. */
const sliceMs = 5;

interface Queue {
  running: number;
  readonly waiting: (() => void)[];
}

export function createVerificationTurns(limits: Partial<VerificationLimits> = {}): VerificationTurns {
  const { total, perAddress, waitingPerAddress, waitMs } = { ...defaults, ...limits };
  /** By address; the one whose turn was last is at the end. */
  const queues = new Map<string, Queue>();
  let running = 0;
  /** What verifications of this turn of the loop have taken; undefined: none has begun in it. */
  let usedMs: number | undefined;

  /** After everything else that this turn of the loop has to do. */
  function endTurn(): void {
    usedMs = undefined;
    beginSome();
  }

  /** Begins what may begin now; what has to wait for the next turn of the loop does. */
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
