import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 90_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`Waited ${limitMs / 1000} s in vain until ${what}.`);
    await sleep(20);
  }
}
