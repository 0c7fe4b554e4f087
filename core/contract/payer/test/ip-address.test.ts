import { isIPv6 } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { readIpAddress } from '../../index.ts';

describe('readIpAddress', () => {
  for (const [given, read] of [
    ['203.0.113.9', '203.0.113.9'],
    [' 203.0.113.9 ', '203.0.113.9'],
    ['203.0.113.9:38242', '203.0.113.9'],
    ['203.0.113.9, 10.0.0.4', '203.0.113.9'],
    ['unknown, 203.0.113.9:80, 10.0.0.4', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['::ffff:203.0.113.9%eth0', '203.0.113.9'],
    ['2001:0DB8::0007', '2001:db8::7'],
    ['2001:db8:0:0:0:0:0:7', '2001:db8::7'],
    ['[2001:db8::5]:443', '2001:db8::5'],
    ['[2001:db8::5]', '2001:db8::5'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
    ['::1', '::1'],
    ['for="[2001:db8::5]:443"', '2001:db8::5'],
    ['For=203.0.113.9', '203.0.113.9'],
  ] as const) {
    it(`reads ${JSON.stringify(given)} as ${read}`, () => {
      expect(readIpAddress(given)).to.equal(read);
    });
  }

  for (const given of [
    null,
    undefined,
    '',
    ' ',
    'unknown',
    '_hidden',
    'localhost',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.009',
    '203.0.113.9:',
    '203.0.113.9:port',
    '203.0.113.9:380242',
    '[203.0.113.9',
    '2001:db8::5::1',
    '2001:db8::g',
    '[2001:db8::5]:',
    '1234',
    '0x7f.1',
    'http://203.0.113.9',
    '203.0.113.9/24',
  ]) {
    it(`reads ${JSON.stringify(given)} as no address`, () => {
      expect(readIpAddress(given)).to.equal(undefined);
    });
  }

  it('writes each address in one spelling', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const read = readIpAddress(address);
        expect(read).to.be.a('string');
        expect([
          readIpAddress(read),
          readIpAddress(address.toUpperCase()),
          readIpAddress(`[${address}]:1`),
        ]).to.deep.equal([read, read, read]);
        if (isIPv6(read!)) expect(read).to.match(/^[0-9a-f:]+$/);
      }),
    );
  });

  it('reads a header of any length', () => {
    expect(readIpAddress(`${'x,'.repeat(500_000)}203.0.113.9`)).to.equal(undefined);
    expect(readIpAddress('1:'.repeat(500_000))).to.equal(undefined);
  });
});
