/** Everything below `/callbacks/`: whatever arrives is handed on exactly as it came, and answered as its provider expects. */
import type { Acknowledgement, RawCallback } from '@gateway/contract';
import type { IncomingMessage } from 'node:http';
import { isUnavailable, notFound } from '../../errors.ts';
import type { HttpDeps } from '../deps.ts';
import { sendStatusPage } from '../pages/page.ts';
import type { BodyBudget } from '../input/body-budget.ts';
import { isTooLarge, readRaw } from '../input/read-raw.ts';
import type { Ctx, Step } from '../state.ts';
import { answerTestCallback, isTestPath, testLimitBytes } from '../test-callbacks/routes.ts';

const prefix = '/callbacks/';

export function createCallbackStep(deps: HttpDeps, budget: BodyBudget): Step {
  const { callbacks, config, health, now, log } = deps;

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
    const limitBytes = isTest ? testLimitBytes : callbacks.maxBodyBytes(ctx.method, name);
    if (!isTest && health.isAnswering?.() === false) {
      const refusal = callbacks.refuse(name, { ...head, body: new Uint8Array() }, ctx.state.requestId, 'no_database');
      if (!refusal) throw notFound('this address');
      ctx.state.route = path;
      return sendAcknowledgement(ctx, refusal);
    }
    const body = await readBody(ctx, Math.min(limitBytes, config.callbackLimitBytes)).catch((error: unknown) => {
      const why = isTooLarge(error) ? 'too_large' : isUnavailable(error) ? 'no_room' : undefined;
      if (isTest || !why) throw error;
      const refusal = callbacks.refuse(name, { ...head, body: new Uint8Array() }, ctx.state.requestId, why);
      if (!refusal) throw error;
      ctx.state.route = path;
      sendAcknowledgement(ctx, refusal);
    });
    if (!body) return;
    const raw = { ...head, body };
    if (isTest) {
      ctx.state.route = path;
      await answerTestCallback(ctx, name, raw, deps);
      return;
    }
    const acknowledgement = await receive(name, raw, ctx.state.requestId);
    if (!acknowledgement) throw notFound('this address');
    ctx.state.route = path;
    ctx.state.isLogged = acknowledgement.status < 400;
    sendAcknowledgement(ctx, acknowledgement);
  };

  async function readBody(ctx: Ctx, limitBytes: number): Promise<Buffer> {
    await budget.reserve(ctx.req, ctx.res, limitBytes);
    return readRaw(ctx.req, limitBytes);
  }

  /** What nobody foresaw is answered as a callback that cannot be stored: the provider sends it again. */
  async function receive(name: string, raw: RawCallback, requestId: string): Promise<Acknowledgement | undefined> {
    try {
      return await callbacks.receive(name, raw, requestId);
    } catch (error) {
      log.error({ err: error, requestId }, 'a callback could not be received');
      return { status: 503, headers: { 'Retry-After': '5' }, body: null };
    }
  }
}

/** A callback before its body is read. */
function headOf(ctx: Ctx, path: string, query: string, receivedAt: Date): Omit<RawCallback, 'body'> {
  // An IPv4 address that came in over an IPv6 socket is an IPv4 address.
  const remoteAddress = ctx.ip.replace(/^::ffff:(?=\d+\.)/i, '');
  return { method: ctx.method, path, query, headers: pairsOf(ctx.req), remoteAddress, receivedAt };
}

/** Path and query as sent; nothing is decoded, and no slash or dot is tidied. */
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
    ctx.remove('Content-Type'); // An adapter names it, or there is none.
  }
  ctx.set({ ...headers });
}
