import type { Work } from '../../core/gateway.ts';

/**
 * Passes wake-ups on: the first at once, those within the next 2 ms together behind it. A wake-up is never dropped, since
 * what it announces may have been stored after the worker that was woken before had looked.
 */
export function createWaker(send: (work: readonly Work[]) => void, togetherMs = 2): (work: Work) => void {
  let waiting = new Set<Work>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    if (waiting.size === 0) return;
    const work = [...waiting];
    waiting = new Set();
    timer = setTimeout(flush, togetherMs);
    send(work);
  }

  return (work) => {
    waiting.add(work);
    if (!timer) flush();
  };
}
