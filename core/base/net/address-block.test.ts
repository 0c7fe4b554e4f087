import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toAddressBlock } from './address-block.ts';

describe('toAddressBlock', () => {
  for (const [address, block] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
    ['2001:0DB8:0000:0001:ffff:1:2:3', '2001:db8:0:1::/64'],
    ['2001:db8::7', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b:1:2:3:4:192.0.2.7', '64:ff9b:1:2::/64'],
    ['', ''],
  ] as const) {
    it(`maps "${address}" to "${block}"`, () => expect(toAddressBlock(address)).to.equal(block));
  }
});
