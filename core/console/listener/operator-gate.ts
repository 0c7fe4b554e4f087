/** Who may use the listener: who has an operator's key, and, for metrics alone, who asks from this machine. */
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { createAddressBudget, type Operators } from '../../engine/access/index.ts';
import { GatewayError } from '../../base/errors.ts';
import type { RouteStep } from '../../http/index.ts';

/** Of one address. A right key is never refused for wrong ones beside it. */
const wrongKeysPerMinute = 60;

export interface OperatorGateDeps {
  readonly operators: Pick<Operators, 'authenticate'>;
  readonly keylessLoopbackMetrics: boolean;
  readonly now: () => Date;
}

export function createOperatorGate({ operators, keylessLoopbackMetrics, now }: OperatorGateDeps): {
  /** In front of the metrics. */
  readonly metrics: RouteStep;
} {
  const wrongKeys = createAddressBudget(wrongKeysPerMinute, "requests of an address without a right operator's key", {
    now,
  });

  async function authenticate(key: string | undefined, address: string): Promise<void> {
    try {
      await operators.authenticate(key ?? '');
    } catch (error) {
      if (error instanceof GatewayError && error.kind === 'UNAUTHORIZED') await wrongKeys.demand(address);
      throw error;
    }
  }

  return {
    async metrics(ctx, next) {
      const key = keyOf(ctx.req);
      const isKeyless = key === undefined && keylessLoopbackMetrics && isFromThisMachine(ctx.req);
      if (!isKeyless) await authenticate(key, ctx.ip);
      await next();
    },
  };
}

/** Undefined: none was sent. Whatever else was sent as one is a wrong one. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const { authorization, 'x-api-key': key } = headers;
  if (authorization === undefined && key === undefined) return undefined;
  const [, bearer = ''] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return typeof key === 'string' ? key : bearer;
}

/**
 * By the connection, and by the headers: what a proxy on this machine passes on comes from somewhere else, and a page in a
 * browser on this machine may reach us under a name of its own.
 */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers.via !== undefined)
    return false;
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return isLoopback(socket.remoteAddress ?? '') && (host === 'localhost' || isLoopback(host));
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}
