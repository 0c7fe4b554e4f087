import { generateKeyPairSync } from 'node:crypto';
import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { harness } from './messages.ts';

const { options } = harness;

describe('Options', () => {
  const keyPair = (modulusLength: number) =>
    generateKeyPairSync('rsa', {
      modulusLength,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
  const short = keyPair(1024);
  const curve = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const [known] = options.providerKeys;
  const { serial, privateKey } = options.merchantKey;
  const boxKey = options.boxKeys[0]!;

  for (const [name, value] of [
    ['merchantId', 'M10'],
    ['merchantId', 'm1000427'],
    ['merchantId', 'M'.repeat(21)],
    ['merchantKey', { serial }],
    ['merchantKey', { serial: '6d1f00a10b2c3d4e', privateKey }],
    ['merchantKey', { serial: '6D1F00A', privateKey }],
    ['merchantKey', { serial, privateKey: short.privateKey }],
    ['merchantKey', { serial, privateKey: curve.privateKey }],
    ['merchantKey', { serial, privateKey: known!.publicKey }],
    ['merchantKey', { serial, privateKey: 'tell-no-one' }],
    ['merchantKey', { serial, privateKey, more: 1 }],
    ['boxKeys', []],
    ['boxKeys', [boxKey, boxKey, boxKey, boxKey]],
    ['boxKeys', [Buffer.alloc(31).toString('base64')]],
    ['boxKeys', [boxKey.replace('=', '')]],
    ['providerKeys', []],
    ['providerKeys', [known, known]],
    ['providerKeys', Array.from({ length: 7 }, (_, at) => ({ ...known!, serial: `0000000${at}` }))],
    ['providerKeys', [{ ...known!, publicKey: short.publicKey }]],
    ['providerKeys', [{ ...known!, publicKey: curve.publicKey }]],
    ['providerKeys', [{ ...known!, publicKey: privateKey }]],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(value).slice(0, 60)}`, () => {
      const { issues = [] } = v.safeParse(Options, { ...options, [name]: value });
      expect(issues.length).to.be.greaterThan(0);
      for (const issue of issues) {
        expect(v.getDotPath(issue)).to.match(new RegExp(`^${name}`));
        expect(issue.message).not.to.match(/BEGIN|report-no-one/);
      }
    });
  }

  it('accepts three box keys and six keys of G', () => {
    const providerKeys = Array.from({ length: 6 }, (_, at) => ({ ...known!, serial: `0000000${at}` }));
    const given = { ...options, boxKeys: [boxKey, boxKey, boxKey], providerKeys };
    expect(v.safeParse(Options, given).success).to.equal(true);
  });
});
