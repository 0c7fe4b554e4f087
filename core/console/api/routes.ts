/**
 * The management API: what the command does, as JSON for an operator's key with the role admin. Only a key in
 * `Authorization` is accepted. A browser sends no such header on its own, so no page of another site can call the API.
 */
import { Router } from '@koa/router';
import { rateLimitHeaders, type RateLimiter } from '../../engine/access/index.ts';
import { GatewayError } from '../../base/errors.ts';
import { createBodyBudget, type KeylessBudgets, type RequestState, type RouteStep } from '../../http/index.ts';
import { countKeyless } from '../../http/keyless.ts';
import { createBody, createDeclaredSize } from '../../http/middleware/body.ts';
import { isAllowed } from '../kit/action-form.ts';
import { createManagementDocument, type ManagementFacts } from './document.ts';
import { hasBody, perform, type Operation } from './operation.ts';
import { operations } from './operations.ts';
import { createInputReader, withOwnNames } from './read-input.ts';
import type { ManagementServices } from './services.ts';

/** A logo of 64 kB in base64 fits. */
const bodyLimits = { bytes: 131_072, values: 10_000 } as const;
/** For all bodies that are read at the same time. */
const budgetBytes = 32 * bodyLimits.bytes;

export interface ManagementDeps {
  readonly services: ManagementServices;
  readonly rateLimiter: Pick<RateLimiter, 'take'>;
  readonly facts: ManagementFacts;
}

export function managementRoutes(
  { services, rateLimiter, facts }: ManagementDeps,
  bearer: RouteStep,
  keyless: Pick<KeylessBudgets, 'requests'>,
): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const budget = createBodyBudget(budgetBytes);

  const rate: RouteStep = async (ctx, next) => {
    const { keyId } = ctx.state.operator!;
    ctx.set(rateLimitHeaders(await rateLimiter.take(keyId, facts.http.rateLimitPerMinute)));
    await next();
  };

  const admin: RouteStep = async (ctx, next) => {
    const { role } = ctx.state.operator!;
    if (!isAllowed(role, 'admin'))
      throw new GatewayError('FORBIDDEN', `the role ${role} may not use the API: create a key with the role admin`);
    await next();
  };

  const body = [createDeclaredSize(bodyLimits), createBody(bodyLimits, budget)];

  function answerTo(operation: Operation): RouteStep {
    const read = createInputReader(operation);
    return async (ctx) => {
      const { name, keyId } = ctx.state.operator!;
      const by = { type: 'api', name: `${name} (${keyId})`, from: ctx.ip } as const;
      const result = await perform(operation, services, by, read(ctx)).catch((error: unknown) => {
        throw error instanceof GatewayError ? withOwnNames(error, operation) : error;
      });
      ctx.status = isNew(operation, result) ? 201 : 200;
      ctx.type = 'application/json';
      ctx.body = JSON.stringify(result);
    };
  }

  router.get('/api/openapi.json', countKeyless(keyless), (ctx) => {
    ctx.body = createManagementDocument(facts);
  });
  for (const operation of Object.values(operations) as unknown as readonly Operation[]) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const steps = [bearer, rate, admin, ...(hasBody(operation) ? body : []), answerTo(operation)] as const;
    router.register(path, [operation.method], [...steps]);
  }
  return router;
}

function isNew({ creates }: Operation, result: unknown): boolean {
  return creates === 'always' || (creates === 'maybe' && (result as { readonly isNew: boolean }).isNew);
}
