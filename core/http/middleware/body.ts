/** A merchant's body as bytes: its declared size is judged before the key, it is read after it, its form checked later. */
import bodyParser from 'koa-bodyparser';
import { invalidField } from '../../base/errors.ts';
import { checkDeclaredSize, isCompressed, readRaw, tooLarge } from '../input/read-raw.ts';
import type { BodyBudget } from '../input/body-budget.ts';
import type { Ctx, RouteStep } from '../state.ts';

/** What a body may be. */
export interface BodyLimits {
  readonly bytes: number;
  /** JSON values that it may hold. */
  readonly values: number;
}

/** As `checkDeclaredSize`. */
export function createDeclaredSize({ bytes }: BodyLimits): RouteStep {
  return async (ctx, next) => {
    checkDeclaredSize(ctx.req, bytes);
    await next();
  };
}

export function createBody({ bytes: limitBytes, values }: BodyLimits, budget: BodyBudget): RouteStep {
  // In text mode and without a charset koa-bodyparser hands over the bytes: its JSON mode would read numbers as doubles
  // and take two members of one name, its decoder would put replacement characters where bytes are not UTF-8.
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
    // The parser takes neither a body without a type nor, safely, a compressed one: there it loses errors of the stream
    // behind its limit, and requests that end half way. Such a body is refused later, and read by our own reader.
    if (isCompressed(ctx.req) || !ctx.is('*/*')) return readRaw(ctx.req, limitBytes);
    try {
      await parse(ctx, async () => {});
    } catch (error) {
      if (error instanceof Error && 'status' in error && error.status === 413) throw tooLarge(ctx.req, limitBytes);
      throw invalidField('body', null, 'did not arrive as a whole');
    }
    const { body } = ctx.request;
    return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  }
}
