/** Keeps notifications out of private networks: every address is checked before anything connects to it. */
import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { toBlockList } from '../../base/net/block-list.ts';

/** Resolves all addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/**
 * Thrown for a target that must not be called. The message names no address, because the merchant who gave the URL
 * sees it.
 */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget';
}

export interface Target {
  readonly url: URL;
  /** The checked addresses as one text, which is the same for the same addresses. */
  readonly addresses: string;
  /** Gives node:net the checked addresses and no others, whatever the name resolves to by now. */
  readonly lookup: LookupFunction;
}

export interface TargetGuard {
  /**
   * Resolves the host once and keeps the addresses that may be called. Rejects with a RefusedTarget if there is none,
   * or if the URL is not http or https; rejects with the resolver's error if the name has no address.
   */
  resolvePublic(url: string): Promise<Target>;
  /** Why the URL will be refused whatever its name resolves to; undefined: it may be called. */
  refusalOf(url: string): string | undefined;
}

export interface TargetGuardOptions {
  /** Networks, such as `127.0.0.0/8`, that may be called although they are not public. */
  readonly allowedPrivateNetworks?: readonly string[];
  /** Ports and ranges, such as `1024-65535`, that may be called unless `refusedPorts` has them. Default: every port. */
  readonly allowedPorts?: readonly (number | string)[];
  readonly refusedPorts?: readonly (number | string)[];
  readonly resolve?: Resolve;
}

// https://www.iana.org/assignments/iana-ipv4-special-registry, multicast (224/4) and reserved (240/4)
const specialIPv4 = toBlockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // The host of an Azure virtual machine, with its metadata. The number alone looks public.
  '168.63.129.16/32',
]);

// Only 2000::/3 is allocated for public use. Everything outside needs no list: loopback, fc00::/7, fe80::/10,
// ff00::/8, and the forms of an IPv4 address (::/96, ::ffff:0:0/96, 64:ff9b::/96).
const publicIPv6 = toBlockList(['2000::/3']);
// https://www.iana.org/assignments/iana-ipv6-special-registry: Teredo and the like, documentation, 6to4, AS112
const specialIPv6 = toBlockList(['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);
const mappedIPv4 = toBlockList(['::ffff:0:0/96']);

/** True for an address that is reachable on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !specialIPv4.check(address);
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return publicIPv6.check(address, 'ipv6') && !specialIPv6.check(address, 'ipv6');
}

const noPublicAddress = 'the host has no public address';

export function createTargetGuard({
  allowedPrivateNetworks = [],
  allowedPorts = ['1-65535'],
  refusedPorts = [],
  resolve = resolveAll,
}: TargetGuardOptions = {}): TargetGuard {
  const allowed = toBlockList(allowedPrivateNetworks);

  // A mapped address would match the IPv4 networks of a BlockList, so it is excluded first.
  function isAllowed(address: string): boolean {
    const version = isIP(address);
    if (version === 4) return isPublicAddress(address) || allowed.check(address);
    if (version !== 6 || address.includes('%') || mappedIPv4.check(address, 'ipv6')) return false;
    return isPublicAddress(address) || allowed.check(address, 'ipv6');
  }

  /** Checks the URL as far as possible without resolving its name. */
  function checkUrl(text: string): { readonly url: URL; readonly host: string } {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) throw new RefusedTarget('the URL is not http or https');
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    if (!isIn(allowedPorts, port) || isIn(refusedPorts, port)) throw new RefusedTarget(`port ${port} is not allowed`);
    // The URL parser has converted every spelling of an IPv4 address (0x7f.1, 2130706433) to four decimal numbers.
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) && !isAllowed(host)) throw new RefusedTarget(noPublicAddress);
    return { url, host };
  }

  return {
    refusalOf(text) {
      try {
        checkUrl(text);
        return undefined;
      } catch (error) {
        if (error instanceof RefusedTarget) return error.message;
        throw error;
      }
    },

    async resolvePublic(text) {
      const { url, host } = checkUrl(text);
      const found = isIP(host) ? [host] : (await resolve(host)).map(({ address }) => address);
      const addresses = found.filter(isAllowed).map((address) => ({ address, family: isIP(address) }));
      if (addresses.length === 0) throw new RefusedTarget(noPublicAddress);
      const sorted = addresses.map(({ address }) => address).sort();
      return { url, addresses: sorted.join(), lookup: lookupOf(addresses) };
    },
  };
}

function isIn(ranges: readonly (number | string)[], port: number): boolean {
  return ranges.some((range) => {
    const [from = '', to = from] = String(range).split('-');
    return Number(from) <= port && port <= Number(to);
  });
}

function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, { all, family }, callback) => {
    const wanted = family === 4 || family === 6 ? addresses.filter((each) => each.family === family) : addresses;
    const [first] = wanted;
    if (!first) return callback(new RefusedTarget('the host has no public address of this family'), '');
    if (all === true) return callback(null, [...wanted]);
    return callback(null, first.address, first.family);
  };
}

/** Timeout of one query to a name server. Each query is sent twice. */
const resolveMs = 2000;

/**
 * Queries the name servers directly. The lookup of the system occupies a thread of a small pool for as long as a slow
 * name server takes, which delays all other lookups. It is used only for names of this machine and its network.
 */
async function resolveAll(host: string): Promise<LookupAddress[]> {
  if (!host.includes('.') || host.endsWith('.localhost')) return systemLookup(host, { all: true, verbatim: true });
  const resolver = new Resolver({ timeout: resolveMs, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found.map((address) => ({ address, family: isIP(address) }));
  const reasons = answers.flatMap((answer) =>
    answer.status === 'rejected' && answer.reason instanceof Error ? [answer.reason as NodeJS.ErrnoException] : [],
  );
  const isUnknown = reasons.every(({ code }) => code === 'ENOTFOUND' || code === 'ENODATA');
  if (isUnknown) return systemLookup(host, { all: true, verbatim: true });
  throw reasons[0] ?? new Error('no name server has an answer');
}
