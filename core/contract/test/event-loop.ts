/** Keeps the processor busy for so many milliseconds. */
export function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
