import { expect } from 'chai';
import { describe, it } from 'mocha';
import { coinLink } from './coin-link.ts';

describe('a link for wallets', () => {
  const of = (coin: string, network: string, address: string, amount: string, memo?: string): string | undefined =>
    coinLink({ type: 'crypto', coin, network, address, amount, expiry: '2026-11-21T12:15:00Z', ...(memo && { memo }) });
  const ether = '0x8e23ee67d1332ad560396262c48ffbb01f93d052';
  const sol = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
  const ton = 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N';

  const cases: readonly (readonly [string, Parameters<typeof of>, string | undefined])[] = [
    ['is BIP 21 for Bitcoin', ['BTC', 'bitcoin', 'bc1qxyz', '0.10000000'], 'bitcoin:bc1qxyz?amount=0.1'],
    ['knows the network by its other names', ['LTC', 'Mainnet', 'ltc1qxyz', '1.50'], 'litecoin:ltc1qxyz?amount=1.5'],
    ['names no scheme twice', ['BCH', 'bch', 'bitcoincash:qxyz', '2'], 'bitcoincash:qxyz?amount=2'],
    ['is ZIP 321 for Zcash', ['ZEC', 'zcash', 't1xyz', '0.5'], 'zcash:t1xyz?amount=0.5'],
    [
      'has Monero’s own name of the amount',
      ['XMR', 'monero', '4AdUndXHHZ', '1.000000000001'],
      'monero:4AdUndXHHZ?tx_amount=1.000000000001',
    ],
    ['is the invoice for Bitcoin by Lightning', ['BTC', 'lightning', 'lnbc1xyz', '0.1'], 'lightning:lnbc1xyz'],
    ['is Solana Pay for SOL', ['SOL', 'Solana', sol, '0.250'], `solana:${sol}?amount=0.25`],
    ['has the memo where it fits', ['SOL', 'solana', sol, '1', 'a&b'], `solana:${sol}?amount=1&memo=a%26b`],
    [
      'is of TON, in its smallest units',
      ['TON', 'TON', ton, '1.5', '77'],
      `ton://transfer/${ton}?amount=1500000000&text=77`,
    ],
    [
      'is EIP-681 for Ether, in wei',
      ['ETH', 'ethereum', ether, '2.014'],
      `ethereum:${ether}@1?value=2014000000000000000`,
    ],
    ['names the chain', ['ETH', 'Base', ether, '1'], `ethereum:${ether}@8453?value=1000000000000000000`],
    ['is in the chain’s own coin', ['POL', 'polygon', ether, '1'], `ethereum:${ether}@137?value=1000000000000000000`],
    [
      'calls the contract of a token',
      ['USDC', 'ethereum', ether, '1.5'],
      `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${ether}&uint256=1500000`,
    ],
    [
      'calls that of the chain',
      ['USDC', 'Arbitrum One', ether, '1.5'],
      `ethereum:0xaf88d065e77c8cC2239327C5EDb3A432268e5831@42161/transfer?address=${ether}&uint256=1500000`,
    ],
    ['is none for a coin that is not the chain’s own', ['ETH', 'polygon', ether, '1'], undefined],
    ['is none for a token of which the contract is not known', ['USDT', 'base', ether, '1.5'], undefined],
    ['is none for a token whose name objects have', ['constructor', 'ethereum', ether, '1'], undefined],
    ['is none for a token on Solana', ['USDC', 'solana', sol, '1'], undefined],
    ['is none for Bitcoin on another network', ['BTC', 'bsc', ether, '1'], undefined],
    ['is none where the address is of another network', ['BTC', 'mainnet', ether, '1'], undefined],
    [
      'is none for Tron, whose wallets read an address alone',
      ['USDT', 'tron', 'TCFRHbx7ryg2Hcxx6tbyZT5bhvWTZtsX', '1'],
      undefined,
    ],
    ['is none where a memo is needed that does not fit', ['BTC', 'bitcoin', 'bc1qxyz', '1', '77'], undefined],
    ['is none for more decimals than the coin has', ['BTC', 'bitcoin', 'bc1qxyz', '0.123456789'], undefined],
    ['is none for a token with more decimals than it has', ['USDC', 'base', ether, '0.1234567'], undefined],
    ['carries nothing but an address', ['BTC', 'bitcoin', 'bc1q?amount=9&x="', '1'], undefined],
  ];
  for (const [title, given, link] of cases) it(title, () => expect(of(...given)).to.equal(link));
});
