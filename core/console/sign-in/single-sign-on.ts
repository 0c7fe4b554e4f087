/**
 * Single sign-on: a proxy names the user in `X-Forwarded-User`. The header is accepted only from the configured
 * proxies.
 */
import type { IncomingMessage } from 'node:http';
import { readIpAddress } from '@paywright/contract';
import { isListed, toBlockList } from '../../base/net/block-list.ts';
import type { OperatorRole } from '../../database/collections/operator.ts';

export interface SingleSignOnConfig {
  /** Networks (CIDR) of the trusted proxies. */
  readonly proxies: readonly string[];
  /** Roles by the user name that the proxy sends. */
  readonly roles: Readonly<Record<string, OperatorRole>>;
  /** The role of all other users. Absent: they are refused. */
  readonly otherwise?: OperatorRole | undefined;
}

export interface Visitor {
  readonly name: string;
  readonly role: OperatorRole;
}

export interface SingleSignOn {
  /** Undefined: no proxy names a user, so the operator signs in with a key. */
  visitorOf(request: IncomingMessage): Visitor | { readonly refused: string } | undefined;
  /** The client's address. Behind a trusted proxy, the address that the proxy reports. */
  addressOf(asked: { readonly req: IncomingMessage; readonly ip: string }): string;
}

const header = 'x-forwarded-user';

export function createSingleSignOn(config: SingleSignOnConfig | undefined): SingleSignOn {
  if (!config) return { visitorOf: () => undefined, addressOf: ({ ip }) => ip };
  const { roles, otherwise } = config;
  const proxies = toBlockList(config.proxies);
  const isTrusted = ({ socket }: IncomingMessage): boolean => isListed(proxies, socket.remoteAddress);
  return {
    visitorOf(request) {
      const name = request.headers[header];
      if (name === undefined) return undefined;
      if (!isTrusted(request))
        return { refused: 'X-Forwarded-User came from an address that is not in ops.singleSignOn.proxies.' };
      // Node.js joins repeated headers with commas. Then at least one of them was not set by the proxy.
      if (typeof name !== 'string' || !/^[^\s,][^,\p{Cc}]{0,99}$/u.test(name))
        return {
          refused: 'X-Forwarded-User is not the name of one user: the proxy must replace the header that it receives.',
        };
      const role = Object.hasOwn(roles, name) ? roles[name] : otherwise;
      return role ? { name, role } : { refused: 'ops.singleSignOn.roles gives this user no role.' };
    },
    addressOf({ req, ip }) {
      if (!isTrusted(req)) return ip;
      const forwarded = req.headers['x-forwarded-for'];
      const last = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded)?.split(',').at(-1)?.trim();
      return readIpAddress(last) ?? ip;
    },
  };
}
