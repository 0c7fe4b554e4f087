/** Whom an address counts for: a stranger has one IPv4 address, but 2^64 addresses of IPv6. */
import { isIPv6 } from 'node:net';

/** An IPv4 address as it is, of IPv6 the network of 64 bits. */
export function toAddressBlock(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [left = [], right = []] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  // An IPv4 address at the end is two groups, and never among the first four of what is routed.
  const zeros = Math.max(0, 8 - left.length - right.length - (plain.includes('.') ? 1 : 0));
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
