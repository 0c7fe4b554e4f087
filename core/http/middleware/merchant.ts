/**
 * The steps before every address for merchants. Their order is part of the interface: path and method (the router),
 * declared size, key, rate limit, version, scope, the body itself; then `Idempotency-Key` and the form of the body
 * (`idempotency.ts`).
 */
import { rateLimitHeaders, requireScope } from '../../engine/access/index.ts';
import type { Authenticated, Scope } from '../../engine/access/index.ts';
import type { HttpDeps } from '../deps.ts';
import type { KeylessBudgets } from '../keyless.ts';
import { integerForm } from '../input/path-id.ts';
import type { BodyBudget } from '../input/body-budget.ts';
import { merchantJsonValues } from '../input/read-body.ts';
import { GatewayError, notFound } from '../../base/errors.ts';
import type { Ctx, RouteStep } from '../state.ts';
import { createBody, createDeclaredSize, type BodyLimits } from './body.ts';
import { createVersionHeaders, createVersions } from './versions.ts';

export interface MerchantGate {
  readonly reading: (scope: Scope) => RouteStep[];
  /** `limits` are those of the body. Absent: the usual limits. */
  readonly writing: (scope: Scope, limits?: BodyLimits) => RouteStep[];
  /** True if the request has a valid key. A wrong key counts, as on every other route. */
  readonly hasKey: (ctx: Ctx) => Promise<boolean>;
}

export function createMerchantGate(
  deps: HttpDeps,
  budget: BodyBudget,
  { requests, wrongKeys }: KeylessBudgets,
): MerchantGate {
  const { access, rateLimiter, config } = deps;
  const versionHeaders = createVersionHeaders(config.publicUrl);
  const versions = createVersions(deps);

  /** A request that is refused before its key is checked counts as a request without a key. */
  const beforeKey =
    (...steps: readonly RouteStep[]): RouteStep =>
    async (ctx, next) => {
      try {
        for (const step of steps) await step(ctx, async () => undefined);
      } catch (error) {
        await requests.demand(ctx.ip);
        throw error;
      }
      await next();
    };

  async function authenticate(ctx: Ctx): Promise<Authenticated> {
    const credentials = { apiKey: header(ctx.get('X-API-Key')), authorization: header(ctx.get('Authorization')) };
    try {
      return await access.authenticate(credentials);
    } catch (error) {
      // Checked after the key, so that a valid key is never refused because of invalid keys from the same address.
      if (error instanceof GatewayError && error.kind === 'UNAUTHORIZED') await wrongKeys.demand(ctx.ip);
      throw error;
    }
  }

  const key: RouteStep = async (ctx, next) => {
    ctx.state.key = await authenticate(ctx);
    await next();
  };

  const rate: RouteStep = async (ctx, next) => {
    const { keyId, limit } = ctx.state.key!;
    ctx.set(rateLimitHeaders(await rateLimiter.take(keyId, limit)));
    await next();
  };

  const scoped =
    (scope: Scope): RouteStep =>
    async (ctx, next) => {
      requireScope(ctx.state.key!, scope);
      await next();
    };

  const checks = (scope: Scope): RouteStep[] => [key, rate, versions, scoped(scope)];

  return {
    async hasKey(ctx) {
      if (ctx.get('X-API-Key') === '') return false;
      // While the database is unavailable, only a key that was seen recently is known to be valid.
      return authenticate(ctx).then(
        () => true,
        () => false,
      );
    },
    reading: (scope) => [versionHeaders, beforeKey(integerId), ...checks(scope)],
    writing: (scope, limits = { bytes: config.bodyLimitBytes, values: merchantJsonValues }) => [
      versionHeaders,
      beforeKey(integerId, createDeclaredSize(limits)),
      ...checks(scope),
      createBody(limits, budget),
    ],
  };
}

/** A path whose id or code is not an integer answers 404, whatever else is wrong. */
const integerId: RouteStep = async (ctx, next) => {
  const { id, code } = ctx.params;
  if ([id, code].some((value) => value !== undefined && !integerForm.test(value))) throw notFound('this address');
  await next();
};

function header(value: string): string | undefined {
  return value === '' ? undefined : value;
}
