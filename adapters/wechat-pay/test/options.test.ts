import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { given, providerSide } from './messages.ts';

const [first, second] = providerSide.keys;
const { apiV3Keys, platformKeys } = given as {
  readonly apiV3Keys: readonly string[];
  readonly platformKeys: readonly [PlatformKey, PlatformKey];
};
interface PlatformKey {
  readonly serial: string;
  readonly publicKey: string;
}
const [certificate, { publicKey }] = platformKeys;

describe('Options', () => {
  for (const [what, members] of Object.entries({
    'an mchid with a letter': { mchid: 'M1000427' },
    'an appid of another form': { appid: 'x'.repeat(18) },
    'an APIv3 key of 31 characters': { apiV3Keys: [apiV3Keys[0]!.slice(1)] },
    'a list without an APIv3 key': { apiV3Keys: [] },
    'a public key as the private key': { merchantKey: { serial: '3775B6A45ACD58', privateKey: publicKey } },
    'a private key as a public key': { platformKeys: [{ ...certificate, publicKey: first.privateKey }] },
    'a certificate with another serial': { platformKeys: [{ ...certificate, publicKey: second.certificate }] },
    'a serial twice': { platformKeys: [certificate, certificate] },
    'a serial in small letters': { platformKeys: [{ ...certificate, serial: certificate.serial.toLowerCase() }] },
    'a description of 129 bytes': { description: '店'.repeat(43) },
    'four minutes to pay': { minutes: 4 },
    'more than two hours to pay': { minutes: 121 },
  })) {
    it(`refuses ${what}`, () => {
      expect(v.safeParse(Options, { ...given, ...members }).success).to.equal(false);
    });
  }

  it('accepts a public key of WeChat Pay by its id, and an empty list of keys', () => {
    const byId = { serial: 'PUB_KEY_ID_0114232134912410000000000000', publicKey };
    for (const keys of [[byId], []]) expect(v.is(Options, { ...given, platformKeys: keys })).to.equal(true);
  });

  it('has 30 minutes to pay and no H5 by default', () => {
    const { minutes: _minutes, h5: _h5, ...rest } = given;
    expect(v.parse(Options, rest)).to.include({ minutes: 30, h5: false });
  });
});
