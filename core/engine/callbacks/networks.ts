import { isListed, toBlockList } from '../../base/net/block-list.ts';

/**
 * Returns a check whether an address is in one of the networks (CIDR). Undefined if no network is listed: then every
 * address is allowed.
 */
export function createNetworkCheck(networks: readonly string[]): ((address: string) => boolean) | undefined {
  if (!networks.length) return undefined;
  const list = toBlockList(networks);
  return (address) => isListed(list, address);
}
