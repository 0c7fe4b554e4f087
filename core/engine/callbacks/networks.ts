import { isIPv6 } from 'node:net';
import { toBlockList } from '../../base/net/block-list.ts';

/** Says whether an address is in one of the networks (CIDR); undefined where none is listed: then every one is. */
export function createNetworkCheck(networks: readonly string[]): ((address: string) => boolean) | undefined {
  if (!networks.length) return undefined;
  const list = toBlockList(networks);
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}
