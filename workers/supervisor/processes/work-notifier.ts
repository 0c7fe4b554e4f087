import type { Work } from '../../../core/engine/jobs/index.ts';

/**
 * Notifies workers of new work. The first notification is sent immediately; those of the next 2 ms are sent together.
 * Under constant load the interval doubles up to 8 ms. No notification is dropped, because the work may have been
 * stored after the worker that was notified before had read.
 */
export function createWorkNotifier(
  send: (work: readonly Work[]) => void,
  togetherMs = 2,
  longestMs = 4 * togetherMs,
): (work: Work) => void {
  let waitMs = togetherMs;
  let waiting = new Set<Work>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    if (waiting.size === 0) {
      waitMs = togetherMs;
      return;
    }
    const work = [...waiting];
    waiting = new Set();
    timer = setTimeout(flush, waitMs);
    waitMs = Math.min(2 * waitMs, longestMs);
    send(work);
  }

  return (work) => {
    waiting.add(work);
    if (!timer) flush();
  };
}
