/** The network by which limits count addresses, because an outsider has one IPv4 address but 2^64 IPv6 addresses. */
import { isIPv6 } from 'node:net';
import { readIpAddress } from '@paywright/contract';

/** Returns an IPv4 address unchanged, and the /64 network of an IPv6 address. */
export function toAddressBlock(address: string): string {
  const plain = readIpAddress(address) ?? address;
  if (!isIPv6(plain)) return plain;
  const [left = [], right = []] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.join(':')}::/64`;
}
