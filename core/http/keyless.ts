/**
 * Limits requests without a valid API key: per address and minute, for all API processes of the host together. Only
 * `/health` and `/ready` have no limit. Callbacks of adapters and visits of a payment's page have budgets of their own.
 */
import { createAddressBudget, type BudgetDeps, type MinuteBudget } from '../engine/access/index.ts';
import type { RouteStep } from './state.ts';

const requestsPerMinute = 600;
const wrongKeysPerMinute = 60;

export interface KeylessBudgets {
  readonly requests: MinuteBudget;
  readonly wrongKeys: MinuteBudget;
}

export function createKeylessBudgets(deps: BudgetDeps): KeylessBudgets {
  return {
    requests: createAddressBudget(requestsPerMinute, 'requests of an address without an API key', deps),
    wrongKeys: createAddressBudget(wrongKeysPerMinute, 'requests of an address with a wrong API key', deps),
  };
}

/** Runs before the routes of a router that need no key. Throws RATE001. */
export function countKeyless({ requests }: Pick<KeylessBudgets, 'requests'>): RouteStep {
  return async (ctx, next) => {
    await requests.demand(ctx.ip);
    await next();
  };
}
