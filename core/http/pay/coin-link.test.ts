import { expect } from 'chai';
import { describe, it } from 'mocha';
import { coinLink } from './coin-link.ts';

describe('a link for wallets', () => {
  const of = (coin: string, network: string, address: string, amount: string): string | undefined =>
    coinLink({ type: 'crypto', coin, network, address, amount, expiry: '2026-11-21T12:15:00Z' });
  const ether = '0x8e23ee67d1332ad560396262c48ffbb01f93d052';

  const cases: readonly (readonly [string, Parameters<typeof of>, string | undefined])[] = [
    ['is BIP 21 for Bitcoin', ['BTC', 'bitcoin', 'bc1qxyz', '0.10000000'], 'bitcoin:bc1qxyz?amount=0.1'],
    ['names no scheme twice', ['BCH', 'bch', 'bitcoincash:qxyz', '2'], 'bitcoincash:qxyz?amount=2'],
    [
      'is EIP-681 for Ether, in wei',
      ['ETH', 'ethereum', ether, '2.014'],
      `ethereum:${ether}@1?value=2014000000000000000`,
    ],
    ['names the chain', ['ETH', 'Base', ether, '1'], `ethereum:${ether}@8453?value=1000000000000000000`],
    [
      'calls the contract of a token on Ethereum',
      ['USDC', 'ethereum', ether, '1.5'],
      `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${ether}&uint256=1500000`,
    ],
    ['is none for a token on another chain', ['USDC', 'base', ether, '1.5'], undefined],
    ['is none for Bitcoin by Lightning', ['BTC', 'lightning', 'lnbc1xyz', '0.1'], undefined],
    ['is none for a coin that no wallet has one for', ['XMR', 'monero', '4AdUndXHHZ', '1'], undefined],
    ['carries nothing but an address', ['BTC', 'bitcoin', 'bc1q?amount=9&x="', '1'], undefined],
  ];
  for (const [title, given, link] of cases) it(title, () => expect(of(...given)).to.equal(link));
});
