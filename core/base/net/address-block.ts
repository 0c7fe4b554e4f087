/** The network by which limits count addresses, because an outsider has one IPv4 address but 2^64 IPv6 addresses. */
import { isIPv6 } from 'node:net';

/** Returns an IPv4 address unchanged, and the /64 network of an IPv6 address. */
export function toAddressBlock(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1)[0]!;
  if (!isIPv6(plain)) return plain;
  const [left = [], right = []] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  // An embedded IPv4 address at the end is two groups, and never among the first four groups of a routed address.
  const zeros = Math.max(0, 8 - left.length - right.length - (plain.includes('.') ? 1 : 0));
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
