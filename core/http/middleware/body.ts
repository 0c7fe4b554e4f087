/**
 * Reads a merchant's body as bytes. Its declared size is checked before the key, its bytes are read after the key, and
 * its form is checked later.
 */
import bodyParser from 'koa-bodyparser';
import { invalidField } from '../../base/errors.ts';
import { checkDeclaredSize, isCompressed, readRaw, tooLarge } from '../input/read-raw.ts';
import type { BodyBudget } from '../input/body-budget.ts';
import type { Ctx, RouteStep } from '../state.ts';

/** The limits of a body. */
export interface BodyLimits {
  readonly bytes: number;
  /** Maximum number of JSON values. */
  readonly values: number;
}

/** Applies `checkDeclaredSize`. */
export function createDeclaredSize({ bytes }: BodyLimits): RouteStep {
  return async (ctx, next) => {
    checkDeclaredSize(ctx.req, bytes);
    await next();
  };
}

export function createBody({ bytes: limitBytes, values }: BodyLimits, budget: BodyBudget): RouteStep {
  // In text mode and without a charset, koa-bodyparser passes on the bytes. Its JSON mode would read numbers as doubles
  // and accept two members with one name. Its decoder would replace bytes that are not UTF-8.
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: ['*/*'] },
    textLimit: `${limitBytes}`,
    encoding: '',
  };
  const parse = bodyParser(options);

  return async (ctx, next) => {
    ctx.state.maxJsonValues = values;
    await budget.reserve(ctx.req, ctx.res, limitBytes);
    ctx.state.bytes = await readBytes(ctx);
    await next();
  };

  async function readBytes(ctx: Ctx): Promise<Uint8Array> {
    // The parser does not accept a body without a type. It does not accept compressed bodies safely either: it loses
    // stream errors behind its limit, and requests that stop half way. Our own reader reads such a body, and it is
    // refused later.
    if (isCompressed(ctx.req) || !ctx.is('*/*')) return readRaw(ctx.req, limitBytes);
    try {
      await parse(ctx, async () => {});
    } catch (error) {
      if (error instanceof Error && 'status' in error && error.status === 413) throw tooLarge(ctx.req, limitBytes);
      throw invalidField('body', null, 'did not arrive completely');
    }
    const { body } = ctx.request;
    return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  }
}
