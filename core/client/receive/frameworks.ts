/** A receiver as a handler of the usual frameworks. No framework is imported: only its shape is used. */
import type { WebhookHeaders } from '../verify-webhook.ts';
import type { Receiver } from './receive.ts';

/** More than any notification has. */
const maxBodyBytes = 1_048_576;

/** For the routes of Next.js (`export const POST`), Deno, Bun, and workers at the edge. */
export function toFetchHandler({ receive, onError }: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      const body = await readChunks((request.body ?? []) as AsyncIterable<Uint8Array>);
      const status = body === 'too_large' ? 413 : await receive(body, request.headers);
      return new Response(null, { status });
    } catch (error) {
      onError(error);
      return new Response(null, { status: 500 });
    }
  };
}

/** A request of Node.js, whose body may have been read by the framework. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableEnded: boolean;
  /** Set by Express: bytes with `express.raw()`. */
  readonly body?: unknown;
  /** Set by hosts of functions. */
  readonly rawBody?: unknown;
}

export interface NodeResponse {
  statusCode: number;
  end(): unknown;
}

/** For Express, mounted before `express.json()`: `app.post('/webhooks', toExpress(receiver))`. Also for `node:http`. */
export function toExpress(receiver: Receiver): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    response.statusCode = await receiveFromNode(receiver, request);
    response.end();
  };
}

export interface KoaContext {
  readonly req: NodeRequest;
  status: number;
  body: unknown;
}

/** For Koa, mounted before a body parser: `router.post('/webhooks', toKoa(receiver))`. */
export function toKoa(receiver: Receiver): (context: KoaContext) => Promise<void> {
  return async (context) => {
    const status = await receiveFromNode(receiver, context.req);
    context.body = null;
    context.status = status;
  };
}

export interface FastifyInstance {
  addContentTypeParser(
    contentType: string,
    options: { readonly parseAs: 'buffer'; readonly bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(
    path: string,
    handler: (
      request: { readonly body: unknown; readonly headers: WebhookHeaders },
      reply: { code(status: number): { send(): unknown } },
    ) => Promise<unknown>,
  ): unknown;
}

/** For Fastify, as a plugin: `app.register(toFastify(receiver, '/webhooks'))`. Other routes keep their parsers. */
export function toFastify({ receive }: Receiver, path: string): (instance: FastifyInstance) => Promise<void> {
  return async (instance) => {
    const options = { parseAs: 'buffer', bodyLimit: maxBodyBytes } as const;
    instance.addContentTypeParser('application/json', options, (_request, body, done) => done(null, body));
    instance.post(path, async ({ body, headers }, reply) =>
      reply.code(await receive(body as Uint8Array, headers)).send(),
    );
  };
}

async function receiveFromNode({ receive, onError }: Receiver, request: NodeRequest): Promise<number> {
  try {
    const body = await readBody(request);
    return body === 'too_large' ? 413 : await receive(body, request.headers);
  } catch (error) {
    onError(error);
    return 500;
  }
}

async function readBody(request: NodeRequest): Promise<Uint8Array | 'too_large'> {
  const given = [request.rawBody, request.body].find((body) => body instanceof Uint8Array);
  if (given) return given;
  if (request.readableEnded) {
    throw new Error('The body was read before the receiver: mount the receiver before the parser of JSON bodies.');
  }
  return readChunks(request);
}

async function readChunks(body: AsyncIterable<Uint8Array>): Promise<Uint8Array | 'too_large'> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBodyBytes) return 'too_large';
    chunks.push(chunk);
  }
  return concat(chunks, size);
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
