import { expect } from 'chai';
import { describe, it } from 'mocha';
import { coinLink } from './coin-link.ts';

describe('coinLink', () => {
  const of = (coin: string, network: string, address: string, amount: string, memo?: string): string | undefined =>
    coinLink({ type: 'crypto', coin, network, address, amount, expiry: '2026-11-21T12:15:00Z', ...(memo && { memo }) });
  const ether = '0x8e23ee67d1332ad560396262c48ffbb01f93d052';
  const sol = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
  const ton = 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N';

  const cases: readonly (readonly [string, Parameters<typeof of>, string | undefined])[] = [
    ['returns a BIP 21 link for Bitcoin', ['BTC', 'bitcoin', 'bc1qxyz', '0.10000000'], 'bitcoin:bc1qxyz?amount=0.1'],
    [
      'recognises the network by its other names',
      ['LTC', 'Mainnet', 'ltc1qxyz', '1.50'],
      'litecoin:ltc1qxyz?amount=1.5',
    ],
    ['does not repeat the scheme', ['BCH', 'bch', 'bitcoincash:qxyz', '2'], 'bitcoincash:qxyz?amount=2'],
    ['returns a ZIP 321 link for Zcash', ['ZEC', 'zcash', 't1xyz', '0.5'], 'zcash:t1xyz?amount=0.5'],
    [
      'uses Monero’s own name for the amount',
      ['XMR', 'monero', '4AdUndXHHZ', '1.000000000001'],
      'monero:4AdUndXHHZ?tx_amount=1.000000000001',
    ],
    ['returns the invoice for Bitcoin by Lightning', ['BTC', 'lightning', 'lnbc1xyz', '0.1'], 'lightning:lnbc1xyz'],
    ['returns a Solana Pay link for SOL', ['SOL', 'Solana', sol, '0.250'], `solana:${sol}?amount=0.25`],
    [
      'includes the memo if the scheme has one',
      ['SOL', 'solana', sol, '1', 'a&b'],
      `solana:${sol}?amount=1&memo=a%26b`,
    ],
    [
      'returns a TON link with the smallest units',
      ['TON', 'TON', ton, '1.5', '77'],
      `ton://transfer/${ton}?amount=1500000000&text=77`,
    ],
    [
      'returns an EIP-681 link for Ether, in wei',
      ['ETH', 'ethereum', ether, '2.014'],
      `ethereum:${ether}@1?value=2014000000000000000`,
    ],
    ['names the chain', ['ETH', 'Base', ether, '1'], `ethereum:${ether}@8453?value=1000000000000000000`],
    [
      'pays in the native coin of the chain',
      ['POL', 'polygon', ether, '1'],
      `ethereum:${ether}@137?value=1000000000000000000`,
    ],
    [
      'calls the contract of a token',
      ['USDC', 'ethereum', ether, '1.5'],
      `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${ether}&uint256=1500000`,
    ],
    [
      'calls the contract of the token on the named chain',
      ['USDC', 'Arbitrum One', ether, '1.5'],
      `ethereum:0xaf88d065e77c8cC2239327C5EDb3A432268e5831@42161/transfer?address=${ether}&uint256=1500000`,
    ],
    ['returns undefined for a coin that is not native to the chain', ['ETH', 'polygon', ether, '1'], undefined],
    ['returns undefined for a token with an unknown contract', ['USDT', 'base', ether, '1.5'], undefined],
    [
      'returns undefined for a token named like a property of objects',
      ['constructor', 'ethereum', ether, '1'],
      undefined,
    ],
    ['returns undefined for a token on Solana', ['USDC', 'solana', sol, '1'], undefined],
    ['returns undefined for Bitcoin on another network', ['BTC', 'bsc', ether, '1'], undefined],
    ['returns undefined for an address of another network', ['BTC', 'mainnet', ether, '1'], undefined],
    [
      'returns undefined for Tron, whose wallets read only an address',
      ['USDT', 'tron', 'TCFRHbx7ryg2Hcxx6tbyZT5bhvWTZtsX', '1'],
      undefined,
    ],
    [
      'returns undefined if the scheme cannot carry a required memo',
      ['BTC', 'bitcoin', 'bc1qxyz', '1', '77'],
      undefined,
    ],
    ['returns undefined for more decimals than the coin has', ['BTC', 'bitcoin', 'bc1qxyz', '0.123456789'], undefined],
    ['returns undefined for more decimals than the token has', ['USDC', 'base', ether, '0.1234567'], undefined],
    ['returns undefined for an address with other content', ['BTC', 'bitcoin', 'bc1q?amount=9&x="', '1'], undefined],
  ];
  for (const [title, given, link] of cases) it(title, () => expect(of(...given)).to.equal(link));
});
