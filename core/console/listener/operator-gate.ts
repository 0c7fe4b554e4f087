/** Admits requests with an operator's key. If config allows it, also requests for metrics from this machine. */
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { readIpAddress } from '@paywright/contract';
import { createAddressBudget, type Operator, type Operators } from '../../engine/access/index.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Ctx, RouteStep } from '../../http/index.ts';

/** Limit of wrong keys from one address. Requests with a right key are never refused because of it. */
const wrongKeysPerMinute = 60;

const missingKey = "the operator's key is missing: send it in the header Authorization, as Bearer gk_ops_…";

export interface OperatorGateDeps {
  readonly operators: Pick<Operators, 'authenticate'>;
  readonly keylessLoopbackMetrics: boolean;
  readonly now: () => Date;
}

export function createOperatorGate({ operators, keylessLoopbackMetrics, now }: OperatorGateDeps): {
  /** Runs before the metrics route. */
  readonly metrics: RouteStep;
  /** Runs before the routes of the management API. Accepts only a key in `Authorization`. */
  readonly bearer: RouteStep;
  /** True for an operator's key, and for requests from this machine if config allows them without a key. */
  readonly isOperator: (ctx: Ctx) => Promise<boolean>;
} {
  const wrongKeys = createAddressBudget(wrongKeysPerMinute, "requests from one address with a wrong operator's key", {
    now,
  });

  async function authenticate(key: string | undefined, address: string): Promise<Operator> {
    try {
      return await operators.authenticate(key ?? '');
    } catch (error) {
      if (error instanceof GatewayError && error.kind === 'UNAUTHORIZED') await wrongKeys.demand(address);
      throw error;
    }
  }

  const isTrustedWithoutKey = ({ req }: Ctx): boolean =>
    keyOf(req) === undefined && keylessLoopbackMetrics && isFromThisMachine(req);

  return {
    async metrics(ctx, next) {
      if (!isTrustedWithoutKey(ctx)) await authenticate(keyOf(ctx.req), ctx.ip);
      await next();
    },
    async bearer(ctx, next) {
      const key = bearerOf(ctx.req);
      if (key === '') {
        await wrongKeys.demand(ctx.ip);
        throw new GatewayError('UNAUTHORIZED', missingKey, { headers: { 'WWW-Authenticate': 'Bearer' } });
      }
      ctx.state.operator = await authenticate(key, ctx.ip);
      await next();
    },
    async isOperator(ctx) {
      const key = keyOf(ctx.req);
      if (key === undefined) return isTrustedWithoutKey(ctx);
      return authenticate(key, ctx.ip).then(
        () => true,
        () => false,
      );
    },
  };
}

/** Undefined if no key was sent. A malformed key counts as a wrong key. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const { authorization, 'x-api-key': key } = headers;
  if (authorization === undefined && key === undefined) return undefined;
  return typeof key === 'string' ? key : bearerOf({ headers });
}

/** Empty: the header is absent or malformed. */
function bearerOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/**
 * Checks the connection and the headers. A request through a proxy on this machine comes from another machine. A page
 * in a browser on this machine may reach us under its own host name (DNS rebinding).
 */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers.via !== undefined)
    return false;
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return isLoopback(socket.remoteAddress ?? '') && (host === 'localhost' || isLoopback(host));
}

function isLoopback(address: string): boolean {
  const plain = readIpAddress(address) ?? '';
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}
