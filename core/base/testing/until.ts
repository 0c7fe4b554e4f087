import { setTimeout as sleep } from 'node:timers/promises';

type Met<T> = T | false | undefined;

/** Waits until the condition holds, and gives what it gave; fails once it has waited in vain for the limit. */
export async function until<T>(what: string, holds: () => Met<T> | Promise<Met<T>>, limitMs = 90_000): Promise<T> {
  const end = performance.now() + limitMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    const met = await holds();
    if (met !== undefined && met !== false) return met;
    if (performance.now() > end) throw new Error(`Waited ${limitMs / 1000} s in vain until ${what}.`);
    await sleep(pauseMs);
  }
}
