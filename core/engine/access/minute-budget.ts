/**
 * Budgets per minute for callers without an API key. The calls are counted in this process, or for the whole host if
 * the supervisor counts them.
 */
import { toAddressBlock } from '../../base/net/address-block.ts';
import { GatewayError } from '../../base/errors.ts';

export interface MinuteBudget {
  /** Counts one call. False: the budget of this minute is used up, and the call is not counted. */
  take(name: string): Promise<boolean>;
  /** Like `take`, but rejects with RATE001 if the budget of this minute is used up. */
  demand(name: string): Promise<void>;
}

/** Counts one call of `name` in a budget. False: the budget of this minute is used up, and the call is not counted. */
export type CountOne = (budget: string, limit: number, name: string) => boolean | Promise<boolean>;

export interface BudgetDeps {
  readonly now: () => Date;
  /** Absent: this process counts only its own calls. */
  readonly countOne?: CountOne | undefined;
}

const minuteMs = 60_000;
/** Maximum names per minute. All further names share one count, because an attacker may have many addresses. */
const maxNames = 50_000;
const others = '';

/** Creates counts that are kept in this process. */
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

/** Creates a budget. `what` is its name, which also appears in the message of its error. */
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

/** Creates a budget per address: per IPv4 address, or per IPv6 network. */
export function createAddressBudget(limit: number, what: string, deps: BudgetDeps): MinuteBudget {
  const budget = createMinuteBudget(limit, what, deps);
  return {
    take: async (address) => budget.take(toAddressBlock(address)),
    demand: async (address) => budget.demand(toAddressBlock(address)),
  };
}

/** Seconds until the next minute of the clock starts; at least 1. */
export function secondsLeft(at: Date): number {
  return Math.max(1, Math.ceil((minuteMs - (at.getTime() % minuteMs)) / 1000));
}

/** Creates the error RATE001. */
export function tooMany(message: string, limit: number, retryAfter: number, window = '1m'): GatewayError {
  return new GatewayError('RATE_LIMIT_EXCEEDED', `${message}; try again in ${retryAfter} s`, {
    details: { limit, window, retryAfter },
    headers: {
      'Retry-After': `${retryAfter}`,
      'RateLimit-Limit': `${limit}`,
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': `${retryAfter}`,
    },
  });
}
