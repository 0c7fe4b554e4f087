/**
 * What may happen so often in a minute, by whom, for those who have no key: counted in this process, or for its whole
 * host.
 */
import { toAddressBlock } from '../../base/net/address-block.ts';
import { GatewayError } from '../../base/errors.ts';

export interface MinuteBudget {
  /** Counts one. False: the minute is full, and it is not counted. */
  take(name: string): Promise<boolean>;
  /** As `take`; rejects with RATE001 where the minute is full. */
  demand(name: string): Promise<void>;
}

/** Counts one of `name` in a budget. False: its minute is full, and it is not counted. */
export type CountOne = (budget: string, limit: number, name: string) => boolean | Promise<boolean>;

export interface BudgetDeps {
  readonly now: () => Date;
  /** Absent: this process counts alone. */
  readonly countOne?: CountOne | undefined;
}

const minuteMs = 60_000;
/** Beyond so many names of one minute all others share one count: a stranger may have many addresses. */
const maxNames = 50_000;
const others = '';

/** Counts in this process. */
export function createMinuteCounts(now: () => Date): (...one: Parameters<CountOne>) => boolean {
  let minute = Number.NaN;
  let budgets = new Map<string, Map<string, number>>();

  return (budget, limit, name) => {
    const current = Math.floor(now().getTime() / minuteMs);
    if (current !== minute) {
      minute = current;
      budgets = new Map();
    }
    const counts = budgets.get(budget) ?? new Map<string, number>();
    budgets.set(budget, counts);
    const counted = counts.has(name) || counts.size < maxNames ? name : others;
    const count = counts.get(counted) ?? 0;
    if (count >= limit) return false;
    counts.set(counted, count + 1);
    return true;
  };
}

/** `what` a caller may do names the budget, and is in its message. */
export function createMinuteBudget(limit: number, what: string, { now, countOne }: BudgetDeps): MinuteBudget {
  const count = countOne ?? createMinuteCounts(now);
  return {
    take: async (name) => count(what, limit, name),
    async demand(name) {
      if (!(await count(what, limit, name))) {
        throw tooMany(`${what}: at most ${limit} a minute`, limit, secondsLeft(now()));
      }
    },
  };
}

/** By address, as strangers have them: an IPv4 address, or a network of IPv6. */
export function createAddressBudget(limit: number, what: string, deps: BudgetDeps): MinuteBudget {
  const budget = createMinuteBudget(limit, what, deps);
  return {
    take: async (address) => budget.take(toAddressBlock(address)),
    demand: async (address) => budget.demand(toAddressBlock(address)),
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
