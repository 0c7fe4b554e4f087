/** A list of CIDR networks in which addresses are looked up. */
import { BlockList, isIP } from 'node:net';
import { readIpAddress } from '@paywright/contract';

/** Throws a TypeError for text that is not a network. */
export function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [, address = '', bits] = /^(.+)\/(\d{1,3})$/.exec(network) ?? [];
    if (bits === undefined) throw new TypeError(`${network} must be a network, for example 10.0.0.0/8 or fd00::/8`);
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** True if the address is in one of the networks. Text that is not an address is in none. */
export function isListed(list: BlockList, text: string | undefined): boolean {
  const address = readIpAddress(text);
  return address !== undefined && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
