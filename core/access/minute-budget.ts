/** What may happen so often in a minute, by whom: counted in this process alone, for those who have no key. */
import { toAddressBlock } from '../address-block.ts';
import { GatewayError } from '../errors.ts';

export interface MinuteBudget {
  /** Counts one. False: the minute is full, and it is not counted. */
  take(name: string): boolean;
  /** As `take`; throws RATE001 where the minute is full. */
  demand(name: string): void;
}

const minuteMs = 60_000;
/** Beyond so many names of one minute all others share one count: a stranger may have many addresses. */
const maxNames = 50_000;
const others = '';

/** `what` a caller may do, for the message. */
export function createMinuteBudget(limit: number, what: string, now: () => Date): MinuteBudget {
  let minute = Number.NaN;
  let counts = new Map<string, number>();

  function take(name: string): boolean {
    const current = Math.floor(now().getTime() / minuteMs);
    if (current !== minute) {
      minute = current;
      counts = new Map();
    }
    const counted = counts.has(name) || counts.size < maxNames ? name : others;
    const count = counts.get(counted) ?? 0;
    if (count >= limit) return false;
    counts.set(counted, count + 1);
    return true;
  }

  return {
    take,
    demand(name) {
      if (!take(name)) throw tooMany(`${what}: at most ${limit} a minute`, limit, secondsLeft(now()));
    },
  };
}

/** By address, as strangers have them: an IPv4 address, or a network of IPv6. */
export function createAddressBudget(limit: number, what: string, now: () => Date): MinuteBudget {
  const budget = createMinuteBudget(limit, what, now);
  return {
    take: (address) => budget.take(toAddressBlock(address)),
    demand: (address) => budget.demand(toAddressBlock(address)),
  };
}

/** Until the next minute of the clock begins; at least 1. */
export function secondsLeft(at: Date): number {
  return Math.max(1, Math.ceil((minuteMs - (at.getTime() % minuteMs)) / 1000));
}

/** RATE001. */
export function tooMany(message: string, limit: number, retryAfter: number): GatewayError {
  return new GatewayError('RATE_LIMIT_EXCEEDED', `${message}; try again in ${retryAfter} s`, {
    details: { limit, window: '1m', retryAfter },
    headers: {
      'Retry-After': `${retryAfter}`,
      'RateLimit-Limit': `${limit}`,
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': `${retryAfter}`,
    },
  });
}
