import { expect } from 'chai';
import { describe, it } from 'mocha';
import { newCoinAddress, shareOfCoins, toCoins } from '../index.ts';

describe('the coins of sandboxes', () => {
  for (const [amount, coins] of [
    ['25.9', '0.00041440'],
    ['25.90', '0.00041440'],
    ['0', '0.00000000'],
    ['1500', '0.02400000'],
    ['62500', '1.00000000'],
    ['1.005', '0.00001608'],
    ['90071992547409930.01', '1441151880758.55888016'],
  ] as const) {
    it(`asks ${coins} for ${amount}`, () => expect(toCoins(amount)).to.equal(coins));
  }

  for (const [sum, share, coins] of [
    ['0.00041440', '0.6', '0.00024864'],
    ['0.00041440', '1.25', '0.00051800'],
    ['0.00000001', '0.6', '0.00000001'],
    ['1', '1', '1.00000000'],
  ] as const) {
    it(`returns ${coins} as ${share} of ${sum}`, () => expect(shareOfCoins(sum, share)).to.equal(coins));
  }

  it('makes addresses that differ', () => {
    const [one, other] = [newCoinAddress(), newCoinAddress()];
    expect(one).to.match(/^bc1q[a-z2-9]{38}$/);
    expect(other).to.not.equal(one);
  });
});
