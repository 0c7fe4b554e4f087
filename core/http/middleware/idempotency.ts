/** Runs a merchant's POST once per `Idempotency-Key`, and sends the same answer again for a repeated request. */
import * as v from 'valibot';
import { readIdempotencyKey, requestFingerprint } from '../../engine/access/index.ts';
import type { IdempotencyRecord, StoredResponse } from '../../engine/access/index.ts';
import { errorKinds, GatewayError } from '../../base/errors.ts';
import type { ErrorKind } from '../../base/errors.ts';
import type { Caller, Operation } from '../../engine/payments/types/caller.ts';
import { answerPayment, asksForJson, send } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { HttpDeps } from '../deps.ts';
import { refuseCardData } from '../input/card-data.ts';
import { fingerprintedBody, readOptionalBody } from '../input/read-body.ts';
import { warnOfUnknownQuery } from '../input/unknown-members.ts';
import type { Ctx, RouteStep } from '../state.ts';
import { collectWarnings } from '../response-warnings.ts';
import { withoutSecrets } from './problem.ts';

/** Reads the input, calls one service, and returns the answer. */
export type Handler = (ctx: Ctx, caller: Caller) => Promise<Answer>;
export type Idempotent = (handler: Handler, options?: IdempotentOptions) => RouteStep;

export interface IdempotentOptions {
  /** The query parameters that the handler reads. Other parameters cause a warning. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** True if the handler creates one payment request. */
  readonly makesPayment?: boolean;
  /** True if the handler pays: with `http.refuseCardNumbers`, no text of its body may look like a card number. */
  readonly pays?: boolean;
}

export function toCaller({ state }: Ctx): Caller {
  const { ownerId, environment } = state.key!;
  return { ownerId, environment, requestId: state.requestId, onPayment: (id) => (state.paymentRequestId = id) };
}

export function createIdempotent({ idempotency, payments, encrypter, config, log }: HttpDeps): Idempotent {
  return (handle, { parameters = {}, makesPayment = false, pays = false } = {}) =>
    async (ctx) => {
      const header = ctx.headers['idempotency-key'];
      const caller = toCaller(ctx);
      const handler: Handler = async (...given) => {
        warnOfUnknownQuery(Object.keys(parameters), ctx.query, collectWarnings(ctx.state));
        return handle(...given);
      };
      try {
        // Before the fingerprint, and before the body is read in any other way.
        if (config.refuseCardNumbers) refuseCardData(readOptionalBody(ctx), { pays });
        send(
          ctx,
          await (header === undefined
            ? handler(ctx, caller)
            : answerOnce(ctx, caller, String(header), handler, makesPayment)),
        );
      } catch (error) {
        await namePayment(ctx, caller, error);
        throw error;
      }
    };

  /** Names the payment request in the path, if it exists, also in an answer to a malformed body. */
  async function namePayment(ctx: Ctx, caller: Caller, error: unknown): Promise<void> {
    const { paymentRequestId: id } = inPath(ctx);
    const isRefusal = error instanceof GatewayError && error.kind !== 'NOT_FOUND';
    if (!isRefusal || id === undefined || ctx.state.paymentRequestId !== undefined) return;
    // The caller gets an answer even if this lookup fails.
    await payments.exists(caller, id).catch(() => false);
  }

  async function answerOnce(
    ctx: Ctx,
    caller: Caller,
    header: string,
    handler: Handler,
    makesPayment: boolean,
  ): Promise<Answer> {
    const { method, path, querystring: query } = ctx;
    const key = readIdempotencyKey(header);
    const fingerprint = requestFingerprint({ encrypter, method, path, query, body: fingerprintedBody(ctx) });
    const named = makesPayment ? { paymentRequestId: await payments.reserveId() } : inPath(ctx);
    const beginning = await idempotency.begin({ ...caller, key, fingerprint, ...named });
    if (beginning.state === 'replay') {
      ctx.set('Idempotent-Replayed', 'true');
      return presentStored(ctx, caller, readStored(beginning.response));
    }
    const { record } = beginning;
    const { paymentRequestId } = beginning.state === 'resolve' ? beginning : named;
    const operation = payments.operation(caller, {
      id: record.operationId,
      bindPayment: async (id) => {
        // The record names the payment request since it was created, unless another payment request had to be created.
        if (id !== paymentRequestId) await idempotency.bindPayment(record, id);
      },
      reservePayments: async (ids) => idempotency.reservePayments(record, ids),
      paymentRequestId,
    });
    const stopRenewal = idempotency.hold(record);
    try {
      const isRepeated = beginning.state === 'resolve' && (await operation.isApplied());
      const given = isRepeated
        ? await answerFromPayment(ctx, operation)
        : await runHandler(ctx, { ...caller, operation }, handler);
      await keep(record, given.keyed ?? toStored(200, { answer: given }));
      return given;
    } catch (error) {
      await keep(record, whatToKeep(error));
      throw error;
    } finally {
      stopRenewal();
    }
  }

  async function runHandler(
    ctx: Ctx,
    caller: Caller & { readonly operation: Operation },
    handler: Handler,
  ): Promise<Answer> {
    try {
      return await handler(ctx, caller);
    } catch (error) {
      // An earlier run that was considered dead was only slow and has finished in the meantime, or a later run has.
      const isTakenOver = error instanceof GatewayError && error.kind === 'IDEMPOTENCY_CONFLICT';
      if (isTakenOver && (await caller.operation.isApplied())) return answerFromPayment(ctx, caller.operation);
      throw error;
    }
  }

  /** Another run has started this operation. */
  async function answerFromPayment(ctx: Ctx, operation: Operation): Promise<Answer> {
    ctx.set('Idempotent-Replayed', 'true');
    return answerPayment(ctx, await operation.currentAnswer(), []);
  }

  /** If the first answer was only `OK`, JSON shows the payment request in its present state. */
  async function presentStored(ctx: Ctx, caller: Caller, answer: Answer): Promise<Answer> {
    if (answer.json !== null || answer.paymentRequestId === undefined || !asksForJson(ctx)) return answer;
    return answerPayment(ctx, await payments.answer(caller, answer.paymentRequestId), answer.warnings ?? []);
  }

  /** Stores the outcome, or forgets the key if there was no outcome. */
  async function keep(record: IdempotencyRecord, what: StoredResponse | 'forget' | 'release'): Promise<void> {
    try {
      if (what === 'forget') await idempotency.abandon(record);
      else if (what === 'release') await idempotency.release(record);
      else await idempotency.complete(record, what);
    } catch (error) {
      // The work is done and must be answered. A repeated request is answered from the payment request.
      log.error({ err: error }, 'the answer to a request with an Idempotency-Key could not be stored');
    }
  }
}

/** The payment request that the path names, whether it exists or not. */
function inPath({ params }: Ctx): { readonly paymentRequestId?: number } {
  const id = Number(params['id']);
  return id > 0 && Number.isSafeInteger(id) ? { paymentRequestId: id } : {};
}

/** Refusals by a provider, or by a risk rule before the provider is called. */
const refusals: ReadonlySet<ErrorKind> = new Set(['CARD_DECLINED', 'THREEDS_FAILED', 'UPI_TRANSACTION_FAILED']);

/**
 * A provider's refusal is an outcome, and so is every other answer of a provider. A refusal of our own is not an
 * outcome: the key may be used again. After an internal error, and while another run does the work, the result is
 * unknown: a repeated request checks what is missing and does it.
 */
function whatToKeep(error: unknown): StoredResponse | 'forget' | 'release' {
  if (!(error instanceof GatewayError)) return 'release';
  if (error.kind === 'INTERNAL_ERROR' || error.kind === 'IDEMPOTENCY_CONFLICT') return 'release';
  if (!refusals.has(error.kind) && !error.isProviderAnswer) return 'forget';
  const { kind, message, details, paymentRequestId } = error;
  const stored = { kind, message, details: withoutSecrets(details), paymentRequestId };
  return toStored(errorKinds[kind].status, { error: stored });
}

function toStored(status: number, body: v.InferOutput<typeof StoredBody>): StoredResponse {
  return { status, headers: {}, body };
}

const StoredBody = v.union([
  v.object({
    answer: v.object({
      json: v.nullable(v.string()),
      isAcknowledgement: v.boolean(),
      paymentRequestId: v.exactOptional(v.number()),
      warnings: v.exactOptional(v.pipe(v.array(v.object({ field: v.string(), message: v.string() })), v.readonly())),
    }),
  }),
  v.object({
    error: v.object({
      kind: v.picklist(Object.keys(errorKinds) as [ErrorKind, ...ErrorKind[]]),
      message: v.string(),
      details: v.record(v.string(), v.unknown()),
      paymentRequestId: v.optional(v.number()),
    }),
  }),
]);

/** Reads the stored answer. A stored refusal is thrown again. */
function readStored({ body }: StoredResponse): Answer {
  const stored = v.parse(StoredBody, body);
  if ('answer' in stored) return stored.answer;
  const { kind, message, details, paymentRequestId } = stored.error;
  throw new GatewayError(kind, message, { details, ...(paymentRequestId !== undefined && { paymentRequestId }) });
}
