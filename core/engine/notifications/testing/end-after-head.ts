import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { holdTimers } from '../../../base/testing/hold-timers.ts';

/** Makes one attempt that times out when the head of an answer has been read, and not earlier on a slow machine. */
export async function endAfterHead<T>(attempt: () => Promise<T>): Promise<T> {
  const timers = holdTimers();
  // The channel receives this event before the request does.
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
