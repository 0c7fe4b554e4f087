/** Links that open a wallet with address and amount filled in. */
import { multiplyDecimals, trimDecimal, type Action } from '@gateway/contract';

type CryptoAction = Extract<Action, { type: 'crypto' }>;

/** BIP 21, and what other chains made of it. */
const schemes: Readonly<Record<string, string>> = {
  BTC: 'bitcoin',
  LTC: 'litecoin',
  BCH: 'bitcoincash',
  DOGE: 'dogecoin',
};

/** Chain ids of EIP-155, by the names that networks go by. */
const chains: Readonly<Record<string, number>> = {
  ethereum: 1,
  eth: 1,
  erc20: 1,
  mainnet: 1,
  optimism: 10,
  bsc: 56,
  polygon: 137,
  base: 8453,
  arbitrum: 42161,
};

/** Contracts of tokens on Ethereum itself, each with 6 decimals. */
const tokens: Readonly<Record<string, string>> = {
  USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
};

const weiOfEther = '1000000000000000000';
const unitsOfToken = '1000000';

/** Undefined: no wallet knows a link for this coin on this network. */
export function coinLink({ coin, network, address, amount }: CryptoAction): string | undefined {
  const scheme = schemes[coin];
  if (scheme && /^[A-Za-z0-9:]+$/.test(address) && network.toLowerCase() !== 'lightning') {
    const bare = address.startsWith(`${scheme}:`) ? address.slice(scheme.length + 1) : address;
    return `${scheme}:${bare}?amount=${trimDecimal(amount)}`;
  }
  return /^0x[0-9A-Fa-f]{40}$/.test(address) ? ethereumLink(coin, network, address, amount) : undefined;
}

/** EIP-681. */
function ethereumLink(coin: string, network: string, address: string, amount: string): string | undefined {
  const chain = chains[network.toLowerCase()];
  if (chain === undefined) return undefined;
  if (coin === 'ETH') return `ethereum:${address}@${chain}?value=${multiplyDecimals(amount, weiOfEther, 0)}`;
  const token = chain === 1 ? tokens[coin] : undefined;
  if (token === undefined) return undefined;
  return `ethereum:${token}@1/transfer?address=${address}&uint256=${multiplyDecimals(amount, unitsOfToken, 0)}`;
}
