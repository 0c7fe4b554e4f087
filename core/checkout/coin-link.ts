/**
 * Creates links that open a wallet with address and amount filled in. A wrong link loses money. A link therefore exists
 * only if a standard defines it for the coin on its own network, and if everything that the payment needs fits into it.
 */
import { multiplyDecimals, trimDecimal, type Action } from '@paywright/contract';

type CryptoAction = Extract<Action, { type: 'crypto' }>;

/** Undefined if there is no link. The page then shows address, amount and network. */
export function coinLink(action: CryptoAction): string | undefined {
  const { coin, memo, address } = action;
  const network = action.network.toLowerCase();
  if (coin === 'BTC' && network === 'lightning') return memo ? undefined : lightningLink(address);
  const own = Object.hasOwn(ownLinks, coin) ? ownLinks[coin] : undefined;
  if (own) return own.networks.includes(network) ? own.link(action) : undefined;
  return memo ? undefined : ethereumLink(coin, network, action);
}

/** Links of coins that exist on one network only. */
interface OwnLink {
  /** The names of the network. */
  readonly networks: readonly string[];
  readonly link: (action: CryptoAction) => string | undefined;
}

/** `bitcoin:` of BIP 21 (BIP 321) and the schemes derived from it; ZIP 321 for Zcash. They cannot contain a memo. */
function bip21(scheme: string, coin: string, amountName = 'amount', decimals = 8): OwnLink {
  return {
    networks: [
      scheme,
      coin.toLowerCase(),
      `${scheme} mainnet`,
      'mainnet',
      'onchain',
      'on-chain',
      `${coin.toLowerCase()}-chain`,
    ],
    link({ address, amount, memo }) {
      const bare = address.startsWith(`${scheme}:`) ? address.slice(scheme.length + 1) : address;
      if (memo || !/^[A-Za-z0-9]+$/.test(bare) || bare.startsWith('0x') || !hasAtMostDecimals(amount, decimals))
        return undefined;
      return `${scheme}:${bare}?${amountName}=${trimDecimal(amount)}`;
    },
  };
}

/** The transfer request of Solana Pay. Tokens are left out, because a wallet might not accept their address. */
const solana: OwnLink = {
  networks: ['solana', 'sol', 'solana mainnet', 'mainnet', 'mainnet-beta'],
  link({ address, amount, memo }) {
    if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address) || !hasAtMostDecimals(amount, 9)) return undefined;
    return `solana:${address}?amount=${trimDecimal(amount)}${memo ? `&memo=${encodeURIComponent(memo)}` : ''}`;
  },
};

/** `ton://transfer` of TON, in units of 10^-9. */
const ton: OwnLink = {
  networks: ['ton', 'the open network', 'ton mainnet', 'mainnet'],
  link({ address, amount, memo }) {
    if (!/^[A-Za-z0-9_-]{48}$/.test(address) || !hasAtMostDecimals(amount, 9)) return undefined;
    const units = multiplyDecimals(amount, '1000000000', 0);
    return `ton://transfer/${address}?amount=${units}${memo ? `&text=${encodeURIComponent(memo)}` : ''}`;
  },
};

const ownLinks: Readonly<Record<string, OwnLink>> = {
  BTC: bip21('bitcoin', 'BTC'),
  LTC: bip21('litecoin', 'LTC'),
  BCH: bip21('bitcoincash', 'BCH'),
  DOGE: bip21('dogecoin', 'DOGE'),
  DASH: bip21('dash', 'DASH'),
  ZEC: bip21('zcash', 'ZEC'),
  XMR: bip21('monero', 'XMR', 'tx_amount', 12),
  SOL: solana,
  TON: ton,
};

/** BOLT 11: the invoice contains the amount. */
function lightningLink(invoice: string): string | undefined {
  return /^ln[a-z0-9]+$/i.test(invoice) ? `lightning:${invoice}` : undefined;
}

interface Chain {
  /** The chain id of EIP-155. */
  readonly id: number;
  readonly names: readonly string[];
  /** Codes of the chain's own coin, which has 18 decimals. */
  readonly own: readonly string[];
  /** Contracts of tokens with 6 decimals. For USD Coin it is Circle's own contract, not a bridged one. */
  readonly tokens: Readonly<Record<string, string>>;
}

const chains: readonly Chain[] = [
  {
    id: 1,
    names: ['ethereum', 'eth', 'erc20', 'erc-20', 'ethereum mainnet', 'mainnet'],
    own: ['ETH'],
    tokens: {
      USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    },
  },
  {
    id: 10,
    names: ['optimism', 'op mainnet'],
    own: ['ETH'],
    tokens: { USDC: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85' },
  },
  { id: 56, names: ['bsc', 'bnb', 'bnb smart chain', 'binance smart chain'], own: ['BNB'], tokens: {} },
  {
    id: 137,
    names: ['polygon', 'polygon pos'],
    own: ['POL', 'MATIC'],
    tokens: { USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
  },
  {
    id: 8453,
    names: ['base'],
    own: ['ETH'],
    tokens: { USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  },
  {
    id: 42_161,
    names: ['arbitrum', 'arbitrum one'],
    own: ['ETH'],
    tokens: { USDC: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' },
  },
  {
    id: 43_114,
    names: ['avalanche', 'avalanche c-chain', 'avax-c'],
    own: ['AVAX'],
    tokens: { USDC: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E' },
  },
];

const unitsOfOwn = '1000000000000000000';
const unitsOfToken = '1000000';

/** The link of EIP-681. */
function ethereumLink(coin: string, network: string, { address, amount }: CryptoAction): string | undefined {
  const chain = chains.find(({ names }) => names.includes(network));
  if (!chain || !/^0x[0-9A-Fa-f]{40}$/.test(address)) return undefined;
  if (chain.own.includes(coin)) {
    return hasAtMostDecimals(amount, 18)
      ? `ethereum:${address}@${chain.id}?value=${multiplyDecimals(amount, unitsOfOwn, 0)}`
      : undefined;
  }
  const token = Object.hasOwn(chain.tokens, coin) ? chain.tokens[coin] : undefined;
  if (token === undefined || !hasAtMostDecimals(amount, 6)) return undefined;
  const units = multiplyDecimals(amount, unitsOfToken, 0);
  return `ethereum:${token}@${chain.id}/transfer?address=${address}&uint256=${units}`;
}

function hasAtMostDecimals(amount: string, decimals: number): boolean {
  return (trimDecimal(amount).split('.')[1]?.length ?? 0) <= decimals;
}
