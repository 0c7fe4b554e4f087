import { setTimeout as sleep } from 'node:timers/promises';

type Met<T> = T | false | undefined;

/** Waits until the condition holds and returns its value. Fails after the limit. */
export async function until<T>(what: string, holds: () => Met<T> | Promise<Met<T>>, limitMs = 90_000): Promise<T> {
  const end = performance.now() + limitMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    const met = await holds();
    if (met !== undefined && met !== false) return met;
    if (performance.now() > end) throw new Error(`Waited for ${limitMs / 1000} s, but this did not happen: ${what}.`);
    await sleep(pauseMs);
  }
}
