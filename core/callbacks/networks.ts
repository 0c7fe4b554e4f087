import { BlockList, isIPv6 } from 'node:net';

/** Says whether an address is in one of the networks (CIDR); undefined where none is listed: then every one is. */
export function createNetworkCheck(networks: readonly string[]): ((address: string) => boolean) | undefined {
  if (!networks.length) return undefined;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}
