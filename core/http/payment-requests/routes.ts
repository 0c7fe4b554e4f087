/** Serves endpoint 8 and the other calls about payment requests. */
import { Router } from '@koa/router';
import { invalidField, missingFields } from '../../base/errors.ts';
import { answerJson, answerPayment, answerPaymentRequest, send } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { HttpDeps } from '../deps.ts';
import { toCaller } from '../middleware/idempotency.ts';
import type { Idempotent } from '../middleware/idempotency.ts';
import { describeProblem, toGatewayError } from '../middleware/errors.ts';
import type { MerchantGate } from '../middleware/merchant.ts';
import { readPaymentRequestId } from '../input/path-id.ts';
import type { Caller } from '../../engine/payments/types/caller.ts';
import type { NewPaymentRequest } from '../../engine/payments/types/input.ts';
import type { Warn } from '../../base/warnings.ts';
import type { Query } from '../input/query.ts';
import { warnOfUnknown } from '../input/unknown-members.ts';
import { presentWarnings, collectWarnings } from '../response-warnings.ts';
import { accept } from '../input/form.ts';
import { batchSize, capture, createQuery, readListQuery, readNewPaymentRequest, refund } from './schema.ts';
import { hasMoreValues, isBody, readBody, readOptionalBody, type Body } from '../input/read-body.ts';
import type { Ctx, RequestState } from '../state.ts';

/** A key may send this many batch entries per request of its rate limit. */
const entriesPerRequest = 10;
/** Maximum number of JSON values in one entry of a batch. */
const entryJsonValues = 100;
/**
 * Number of entries of one batch that are processed at the same time, so that a batch does not slow down other
 * requests.
 */
const batchConcurrency = 20;

export function paymentRequestRoutes(
  deps: HttpDeps,
  { reading, writing }: MerchantGate,
  idempotent: Idempotent,
): Router<RequestState> {
  const { payments, config } = deps;
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  router.post(
    '/payment-requests',
    ...writing('requests:write'),
    idempotent(
      async (ctx, caller) => {
        const input = await readNew(deps, caller, readBody(ctx), ctx.query, collectWarnings(ctx.state));
        return answerPaymentRequest(await payments.create(caller, input), ctx.state.warnings);
      },
      { parameters: createQuery, makesPayment: true },
    ),
  );

  router.post(
    '/payment-requests/batch',
    ...writing('requests:write', { bytes: config.batchLimitBytes, values: batchSize * entryJsonValues }),
    idempotent(createBatch(deps)),
  );

  router.post(
    '/payment-requests/:id/refund',
    ...writing('payments:write'),
    idempotent(async (ctx, caller) => {
      const body = readOptionalBody(ctx) ?? {};
      const [{ amount }] = accept(refund.read(body));
      warnOfUnknown(refund.fields, body, collectWarnings(ctx.state));
      const id = readPaymentRequestId(ctx.params['id']);
      return answerPayment(ctx, await payments.refund(caller, id, amount));
    }),
  );

  router.post(
    '/payment-requests/:id/capture',
    ...writing('payments:write'),
    idempotent(async (ctx, caller) => {
      const body = readOptionalBody(ctx) ?? {};
      const [{ amount }] = accept(capture.read(body));
      warnOfUnknown(capture.fields, body, collectWarnings(ctx.state));
      const id = readPaymentRequestId(ctx.params['id']);
      return answerPayment(ctx, await payments.capture(caller, id, amount));
    }),
  );

  router.post(
    '/payment-requests/:id/cancel',
    ...writing('requests:write'),
    idempotent(async (ctx, caller) => {
      warnOfUnknown({}, readOptionalBody(ctx) ?? {}, collectWarnings(ctx.state));
      const id = readPaymentRequestId(ctx.params['id']);
      return answerPayment(ctx, await payments.cancel(caller, id));
    }),
  );

  router.get('/payment-requests', ...reading('requests:read'), async (ctx) => {
    send(ctx, answerJson(await payments.list(toCaller(ctx), readListQuery(ctx.query))));
  });

  router.get('/payment-requests/:id', ...reading('requests:read'), async (ctx) => {
    const id = readPaymentRequestId(ctx.params['id']);
    send(ctx, answerJson(await payments.get(toCaller(ctx), id)));
  });

  router.get('/payment-requests/:id/timeline', ...reading('requests:read'), async (ctx) => {
    const id = readPaymentRequestId(ctx.params['id']);
    send(ctx, answerJson({ items: await payments.timeline(toCaller(ctx), id) }));
  });

  return router;
}

/** Warns about members that are unknown, cannot be stored as given, or will not have the intended effect. */
async function readNew(
  { payments, config: { expireAtMostAfterHours }, now }: HttpDeps,
  caller: Caller,
  body: Body,
  query: Query,
  warn: Warn,
): Promise<NewPaymentRequest> {
  const input = readNewPaymentRequest(body, query, { now: now(), expireAtMostAfterHours, warn });
  (await payments.warningsOf(caller, input, { ...input, isToBePaid: true })).forEach(warn);
  return input;
}

/** Each entry has its own result at its position. Failed entries do not make the batch fail. */
function createBatch(deps: HttpDeps) {
  const {
    payments,
    rateLimiter,
    config: { publicUrl },
    now,
    log,
  } = deps;
  return async (ctx: Ctx, caller: Caller): Promise<Answer> => {
    const entries = readEntries(ctx);
    const { keyId, limit } = ctx.state.key!;
    const entryLimit = limit * entriesPerRequest;
    if (entries.length > entryLimit) {
      const rule = `must have at most ${entryLimit} entries, as many as the API key may send in a minute`;
      throw invalidField('paymentRequests', null, `${rule}, and has ${entries.length}`);
    }
    if (entries.length > 0) await rateLimiter.takeEntries(keyId, entryLimit, entries.length);
    const results: unknown[] = [];
    const warn = collectWarnings(ctx.state);
    let created = 0;
    let unknown = 0;

    const callerOf = await entryCallers(caller, entries.length);
    const createOne = async (index: number): Promise<void> => {
      const entryState: RequestState = { requestId: caller.requestId };
      try {
        const entry = entries[index];
        if (!isBody(entry)) throw invalidField('body', entry, 'must be a JSON object');
        if (hasMoreValues(entry, entryJsonValues))
          throw invalidField('body', null, `must have at most ${entryJsonValues} JSON values`);
        const input = await readNew(deps, caller, entry, {}, collectWarnings(entryState, ctx.state));
        const { id } = await payments.create(
          { ...callerOf(index), onPayment: (made) => (entryState.paymentRequestId = made) },
          input,
        );
        created += 1;
        results[index] = { index, id, ...presentWarnings(entryState.warnings) };
        for (const { field, message } of entryState.warnings ?? [])
          warn({ field: `paymentRequests.${index}.${field}`, message });
      } catch (thrown) {
        const error = toGatewayError(thrown, ctx.state, log);
        if (error.kind === 'INTERNAL_ERROR') unknown += 1;
        const problem = describeProblem(error, { path: ctx.path, state: entryState }, { publicUrl, now });
        results[index] = { index, error: { ...problem, instance: `${ctx.path}#/paymentRequests/${index}` } };
      }
    };

    let next = 0;
    const takeTurns = async (): Promise<void> => {
      while (next < entries.length) await createOne(next++);
    };
    await Promise.all(Array.from({ length: batchConcurrency }, takeTurns));
    const answer = answerJson({ results }, ctx.state.warnings);
    if (unknown > 0) return { ...answer, keyed: 'release' };
    return created > 0 ? answer : { ...answer, keyed: 'forget' };
  };
}

function readEntries(ctx: Ctx): readonly unknown[] {
  const { paymentRequests: entries } = readBody(ctx);
  if (entries === undefined) throw missingFields(['paymentRequests']);
  if (!Array.isArray(entries)) throw invalidField('paymentRequests', entries, 'must be a list');
  if (entries.length > batchSize) {
    throw invalidField('paymentRequests', null, `must have at most ${batchSize} entries, and has ${entries.length}`);
  }
  return entries;
}

/** The batch as a whole has no payment request: each entry is an operation of its own. */
async function entryCallers(caller: Caller, count: number): Promise<(index: number) => Caller> {
  const { operation, ...others } = caller;
  if (!operation) return () => caller;
  const operations = await operation.forEntries(count);
  return (index) => ({ ...others, operation: operations[index]! });
}
