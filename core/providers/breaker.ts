/** Stops asking an address that cannot be reached. */
import { callFailure } from '@gateway/contract';
import { LentHttpError } from './http/provider-http.ts';

export interface Breaker {
  /**
   * Runs one exchange. After `failures` transport failures in a row (an answer of any status is none) it throws
   * *not sent* at once until `coolOffMs` have passed, then lets one through to see.
   */
  run<T>(exchange: () => Promise<T>): Promise<T>;
}

export function createBreaker({
  failures: limit,
  coolOffMs,
  now,
}: {
  readonly failures: number;
  readonly coolOffMs: number;
  readonly now: () => Date;
}): Breaker {
  let failures = 0;
  let openedAt: number | undefined;
  let trying = false;

  return {
    async run(exchange) {
      const trial = openedAt !== undefined;
      if (trial && (trying || now().getTime() - openedAt! < coolOffMs)) {
        throw new LentHttpError('not_sent', `not asked: its last ${failures} exchanges failed`);
      }
      trying ||= trial;
      try {
        const result = await exchange();
        failures = 0;
        openedAt = undefined;
        return result;
      } catch (error) {
        if (callFailure(error)) failures += 1;
        if (failures >= limit) openedAt = now().getTime();
        throw error;
      } finally {
        if (trial) trying = false;
      }
    },
  };
}
