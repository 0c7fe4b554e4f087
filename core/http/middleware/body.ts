/**
 * Reads a merchant's body as bytes, within the limit. Only its size is judged here, before the key; whatever else is
 * wrong with it waits in `bodyProblem` until the form is judged.
 */
import bodyParser from 'koa-bodyparser';
import type { FieldError } from '../../errors.ts';
import { tooLarge } from '../read-raw.ts';
import type { Ctx, RouteStep } from '../state.ts';

const jsonTypes = ['application/json', 'application/json-patch+json'];

export function createBody(limitBytes: number): RouteStep {
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
    if (Number(ctx.get('Content-Length')) > limitBytes) throw tooLarge(ctx.req, limitBytes);
    const unreadable = headerProblem(ctx);
    if (unreadable?.field === 'Content-Encoding') {
      // Not inflated: the parser below loses errors of the stream behind its limit, and requests that end half way.
      ctx.state.bodyProblem = unreadable;
    } else {
      const bytes = await readBytes(ctx);
      ctx.state.bytes = bytes ?? Buffer.alloc(0);
      if (unreadable && announcesBody(ctx) && bytes?.length !== 0) ctx.state.bodyProblem ??= unreadable;
    }
    await next();
  };

  /** Undefined where the parser read nothing: there is no body, or one whose type is no type at all. */
  async function readBytes(ctx: Ctx): Promise<Uint8Array | undefined> {
    try {
      await parse(ctx, async () => {});
    } catch (error) {
      if (error instanceof Error && 'status' in error && error.status === 413) throw tooLarge(ctx.req, limitBytes);
      ctx.state.bodyProblem = { field: 'body', value: null, message: 'did not arrive as a whole' };
    }
    const { body } = ctx.request;
    return Buffer.isBuffer(body) ? body : undefined;
  }
}

function announcesBody(ctx: Ctx): boolean {
  return Number(ctx.get('Content-Length')) > 0 || ctx.get('Transfer-Encoding') !== '';
}

function headerProblem(ctx: Ctx): FieldError | undefined {
  const encoding = ctx.get('Content-Encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') {
    return { field: 'Content-Encoding', value: encoding, message: 'must be absent: compressed bodies are not read' };
  }
  const given = ctx.get('Content-Type');
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  if (!jsonTypes.includes(type)) {
    return { field: 'Content-Type', value: given || null, message: `must be ${jsonTypes.join(' or ')}` };
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return charset === undefined || /^"?utf-?8"?$/.test(charset)
    ? undefined
    : { field: 'Content-Type', value: given, message: 'must say charset=utf-8, or nothing' };
}
