/** Keeps the processor busy for this many milliseconds. */
export function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
