/**
 * Serves everything below `/callbacks/`: passes on each request exactly as received, and answers as its provider
 * expects.
 */
import type { Acknowledgement, RawCallback } from '@paywright/contract';
import type { IncomingMessage } from 'node:http';
import type { Admission, CallbackHead, WhyUnread } from '../../engine/callbacks/index.ts';
import { GatewayError, isUnavailable, notFound } from '../../base/errors.ts';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import type { HttpDeps } from '../deps.ts';
import { sendStatusPage } from '../../html/page.ts';
import type { KeylessBudgets } from '../keyless.ts';
import type { BodyBudget } from '../input/body-budget.ts';
import { checkDeclaredSize, isTooLarge, readRaw } from '../input/read-raw.ts';
import type { Ctx, Step } from '../state.ts';
import { answerTestCallback, isTestPath, testLimitBytes } from '../test-callbacks/routes.ts';

type Admitted = Exclude<Admission, { readonly refusal: unknown }>;

const prefix = '/callbacks/';
const testAdmission: Admitted = { maxBodyBytes: testLimitBytes, isStranger: true };

export function createCallbackStep(deps: HttpDeps, budget: BodyBudget, keyless: KeylessBudgets): Step {
  const { callbacks, config, health, now, log } = deps;
  const failures = createSampledLog(log);

  return async (context, next) => {
    const ctx = context as Ctx;
    const { path, query } = splitUrl(ctx.req.url ?? '');
    if (!path.startsWith(prefix)) {
      await next();
      return;
    }
    ctx.state.route = `${prefix}*`;
    const name = path.slice(prefix.length);
    const isTest = isTestPath(name);
    const head = headOf(ctx, path, query, now());
    const refuse = (why: WhyUnread): Acknowledgement | undefined =>
      callbacks.refuse(name, head, ctx.state.requestId, why);
    if (isTest) await keyless.requests.demand(ctx.ip);
    if (!isTest && health.isDatabaseUp?.() === false) return answer(ctx, path, refuse('no_database'));
    if (!isTest && health.isFenced?.()) return answer(ctx, path, refuse('host_fenced'));
    const admission = isTest ? testAdmission : await admit(name, head, ctx.state.requestId);
    if (!admission) {
      await keyless.requests.demand(ctx.ip);
      throw notFound('this address');
    }
    if ('refusal' in admission) return answer(ctx, path, admission.refusal);
    const body = await readBody(ctx, admission).catch((error: unknown) => {
      const why = isTooLarge(error) ? 'too_large' : isUnavailable(error) ? 'no_capacity' : undefined;
      const refusal = !isTest && why ? refuse(why) : undefined;
      if (!refusal) throw error;
      answer(ctx, path, refusal);
    });
    if (!body) return;
    const raw = { ...head, body };
    if (isTest) {
      ctx.state.route = path;
      await answerTestCallback(ctx, name, raw, { ...deps, keyless });
      return;
    }
    const acknowledgement = await receive(name, raw, ctx.state.requestId);
    answer(ctx, path, acknowledgement);
    ctx.state.isLogged = ctx.status < 400;
  };

  async function readBody(ctx: Ctx, { maxBodyBytes, isStranger }: Admitted): Promise<Buffer> {
    const limitBytes = Math.min(maxBodyBytes, config.callbackLimitBytes);
    checkDeclaredSize(ctx.req, limitBytes);
    await budget.reserve(ctx.req, ctx.res, limitBytes, isStranger ? ctx.ip : undefined);
    return readRaw(ctx.req, limitBytes);
  }

  async function admit(name: string, head: CallbackHead, requestId: string): Promise<Admission | undefined> {
    try {
      return await callbacks.admit(name, head, requestId);
    } catch (error) {
      return { refusal: afterFailure(error, requestId) };
    }
  }

  async function receive(name: string, raw: RawCallback, requestId: string): Promise<Acknowledgement | undefined> {
    try {
      return await callbacks.receive(name, raw, requestId);
    } catch (error) {
      return afterFailure(error, requestId);
    }
  }

  /**
   * Answers an unexpected error like a callback that cannot be stored, so that the provider sends the callback again.
   */
  function afterFailure(error: unknown, requestId: string): Acknowledgement {
    failures.error('callback', { err: error, requestId }, 'a callback could not be received');
    return { status: 503, headers: { 'Retry-After': '5' }, body: null };
  }
}

/** Throws NF001 if no adapter has this address, and WH001 for a refused signature without an answer of the adapter. */
function answer(ctx: Ctx, path: string, acknowledgement: Acknowledgement | undefined): void {
  if (!acknowledgement) throw notFound('this address');
  ctx.state.route = path;
  if (acknowledgement.isUnnamed)
    throw new GatewayError('INVALID_WEBHOOK_SIGNATURE', 'The signature of the callback is wrong or missing.');
  sendAcknowledgement(ctx, acknowledgement);
}

/** The callback without its body, which is read later. */
function headOf(ctx: Ctx, path: string, query: string, receivedAt: Date): CallbackHead {
  return { method: ctx.method, path, query, headers: pairsOf(ctx.req), remoteAddress: ctx.ip, receivedAt };
}

/** Splits path and query as sent: nothing is decoded, and slashes and dots are not normalised. */
function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const relative = url.replace(/^https?:\/\/[^/?]*/i, '');
  const at = relative.indexOf('?');
  return at < 0 ? { path: relative, query: '' } : { path: relative.slice(0, at), query: relative.slice(at + 1) };
}

function pairsOf({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as [string, string]] : []));
}

function sendAcknowledgement(ctx: Ctx, { status, headers = {}, body }: Acknowledgement): void {
  if (body === null) {
    sendStatusPage(ctx, status);
  } else {
    ctx.status = status;
    ctx.body = Buffer.from(body);
    ctx.remove('Content-Type'); // The adapter names the content type, or there is none.
  }
  ctx.set({ ...headers });
}
