/**
 * When verifications begin. Proving a callback costs the event loop its time before anybody knows who sends it: so one
 * address has few under way, addresses take turns, and what waits may not crowd out everything else of a turn of the loop.
 */
import { toAddressBlock } from '../address-block.ts';

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

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

export function createVerificationTurns(limits: Partial<VerificationLimits> = {}): VerificationTurns {
  const { total, perAddress, waitingPerAddress, waitMs } = { ...defaults, ...limits };
  /** By address; the one whose turn was last stands at the end. */
  const lines = new Map<string, Line>();
  let running = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      beginSome();
    });
  }

  function beginSome(): void {
    const began = performance.now();
    for (let next = nextLine(); next; next = nextLine()) {
      if (performance.now() - began >= sliceMs) return schedule();
      const [name, line] = next;
      lines.delete(name);
      lines.set(name, line);
      line.waiting.shift()!();
    }
  }

  function nextLine(): [string, Line] | undefined {
    if (running >= total) return undefined;
    for (const entry of lines) if (entry[1].waiting.length && entry[1].running < perAddress) return entry;
    return undefined;
  }

  return {
    async run(remoteAddress, work) {
      const name = toAddressBlock(remoteAddress);
      const line = lines.get(name) ?? { running: 0, waiting: [] };
      if (line.waiting.length >= waitingPerAddress) return undefined;
      lines.set(name, line);
      try {
        return await new Promise((resolve, reject) => {
          const begin = (): void => {
            clearTimeout(timer);
            line.running += 1;
            running += 1;
            const end = (): void => {
              line.running -= 1;
              running -= 1;
              schedule();
            };
            work().finally(end).then(resolve, reject);
          };
          const timer = setTimeout(() => {
            line.waiting.splice(line.waiting.indexOf(begin), 1);
            resolve(undefined);
          }, waitMs);
          line.waiting.push(begin);
          schedule();
        });
      } finally {
        if (!line.running && !line.waiting.length && lines.get(name) === line) lines.delete(name);
      }
    },
  };
}
