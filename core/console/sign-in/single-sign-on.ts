/** Single sign-on: a proxy that knows who somebody is says so in `X-Forwarded-User`. Believed of the proxies of config alone. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { toBlockList } from '../../base/net/block-list.ts';
import type { OperatorRole } from '../../database/collections/operator.ts';

export interface SingleSignOnConfig {
  /** Networks (CIDR) of the proxies that are believed. */
  readonly proxies: readonly string[];
  /** By the name that the proxy gives. */
  readonly roles: Readonly<Record<string, OperatorRole>>;
  /** Of everybody else; absent: they are refused. */
  readonly otherwise?: OperatorRole | undefined;
}

export interface Visitor {
  readonly name: string;
  readonly role: OperatorRole;
}

export interface SingleSignOn {
  /** Undefined: no proxy speaks for them, and they sign in with a key. */
  visitorOf(request: IncomingMessage): Visitor | { readonly refused: string } | undefined;
  /** Whence somebody asks: behind such a proxy, as it says. */
  addressOf(asked: { readonly req: IncomingMessage; readonly ip: string }): string;
}

const header = 'x-forwarded-user';

export function createSingleSignOn(config: SingleSignOnConfig | undefined): SingleSignOn {
  if (!config) return { visitorOf: () => undefined, addressOf: ({ ip }) => ip };
  const { roles, otherwise } = config;
  const proxies = toBlockList(config.proxies);
  const isTrusted = ({ socket }: IncomingMessage): boolean => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    return address !== '' && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
  return {
    visitorOf(request) {
      const name = request.headers[header];
      if (name === undefined) return undefined;
      if (!isTrusted(request))
        return { refused: 'X-Forwarded-User came from an address that is none of ops.singleSignOn.proxies.' };
      // Several of them become one with commas between: one of the two was not the proxy's.
      if (typeof name !== 'string' || !/^[^\s,][^,\p{Cc}]{0,99}$/u.test(name))
        return { refused: 'X-Forwarded-User is not the name of one user: the proxy has to replace what came to it.' };
      const role = Object.hasOwn(roles, name) ? roles[name] : otherwise;
      return role ? { name, role } : { refused: 'ops.singleSignOn.roles gives this user no role.' };
    },
    addressOf({ req, ip }) {
      if (!isTrusted(req)) return ip;
      const forwarded = req.headers['x-forwarded-for'];
      const last = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded)?.split(',').at(-1)?.trim();
      return last && /^[\da-f.:]{2,45}$/i.test(last) ? last : ip;
    },
  };
}
