import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { given, providerSide } from './helpers.ts';

const [first, second] = providerSide.keys;
const { apiV3Keys, platformKeys } = given as {
  readonly apiV3Keys: readonly string[];
  readonly platformKeys: readonly [{ readonly serial: string; readonly publicKey: string }];
};
const [known] = platformKeys;

describe('options of wechat-pay', () => {
  const refused: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'an mchid that is no number': { mchid: 'M1000427' },
    'an appid of another form': { appid: 'x'.repeat(18) },
    'an APIv3 key of 31 characters': { apiV3Keys: [apiV3Keys[0]!.slice(1)] },
    'no APIv3 key': { apiV3Keys: [] },
    'a public key where a private one is asked for': { merchantKey: { serial: '3775B6A45ACD58', privateKey: known.publicKey } },
    'a private key where a public one is asked for': { platformKeys: [{ ...known, publicKey: first.privateKey }] },
    'a certificate of another serial': { platformKeys: [{ ...known, publicKey: second.certificate }] },
    'a serial twice': { platformKeys: [known, known] },
    'a serial in small letters': { platformKeys: [{ ...known, serial: known.serial.toLowerCase() }] },
    'a description that is too long': { description: '店'.repeat(43) },
    'five minutes to pay, in which no order can be closed': { minutes: 5 },
  };
  for (const [what, members] of Object.entries(refused)) {
    it(`refuse ${what}`, () => {
      expect(v.safeParse(Options, { ...given, ...members }).success).to.equal(false);
    });
  }

  it('take a public key of WeChat Pay by its id, or no key at all', () => {
    const publicKey = (platformKeys[1 as 0] as typeof known).publicKey;
    for (const keys of [[{ serial: 'PUB_KEY_ID_0114232134912410000000000000', publicKey }], []]) {
      expect(v.is(Options, { ...given, platformKeys: keys })).to.equal(true);
    }
  });

  it('have 30 minutes to pay, and no H5, where nothing is said', () => {
    const { minutes: _minutes, h5: _h5, ...rest } = given;
    expect(v.parse(Options, rest)).to.include({ minutes: 30, h5: false });
  });
});
