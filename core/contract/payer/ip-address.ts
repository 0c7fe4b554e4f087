/** Addresses of payers and proxies, in the spellings that proxies, shops and sockets use. */
import { isIPv4, isIPv6 } from 'node:net';

/** More addresses than a chain of proxies adds. */
const maxAddresses = 20;

/**
 * The address in its canonical spelling (RFC 5952), without port, brackets and zone. An IPv4-mapped IPv6 address is the
 * IPv4 address. The first address of a list counts, because a shop may pass on its whole `X-Forwarded-For`. Undefined
 * if there is none: `unknown`, `_hidden`, or any other text.
 */
export function readIpAddress(text: string | null | undefined): string | undefined {
  for (const entry of (text ?? '').split(',', maxAddresses)) {
    const address = readEntry(entry);
    if (address !== undefined) return address;
  }
  return undefined;
}

/** Longer than an IPv6 address with zone, port and the quotes of RFC 7239. */
const maxLength = 100;

function readEntry(entry: string): string | undefined {
  const given = entry.trim();
  if (given.length > maxLength) return undefined;
  const plain = given.replace(/^for=/i, '').replaceAll('"', '');
  const [, inBrackets, withPort] = /^\[([^\]]*)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(plain) ?? [];
  const [address = ''] = (inBrackets ?? withPort ?? plain).split('%');
  if (isIPv4(address)) return address;
  return isIPv6(address) ? writeIpv6(address) : undefined;
}

/** The URL parser writes IPv6 addresses as RFC 5952 asks, except mapped ones. */
function writeIpv6(address: string): string {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}
