import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { holdTimers } from '../../../base/testing/hold-timers.ts';

/** Makes one attempt whose time is over as soon as the head of an answer is read: however slow the machine, not before. */
export async function endAfterHead<T>(attempt: () => Promise<T>): Promise<T> {
  const timers = holdTimers();
  // The channel is told before the request is.
  const end = (): void =>
    void setImmediate(() => {
      timers.restore();
      timers.endAll();
    });
  subscribe('http.client.response.finish', end);
  try {
    return await attempt();
  } finally {
    unsubscribe('http.client.response.finish', end);
    timers.restore();
  }
}
