import { expect } from 'chai';
import { describe, it } from 'mocha';
import { knownFields, readBrowserInfo, readLanguage, readPayer } from '../../index.ts';

const payer = {
  name: 'Ines Duarte',
  email: 'ines@client.example',
  phoneNumber: '+351 912 345 678',
  address: 'Rua das Flores 1',
  city: 'Porto',
  state: ' ',
  postalCode: '٤٠٥٠',
  country: 'uk',
  ipAddress: '203.0.113.9:38242',
};

describe('readPayer', () => {
  it('returns what providers and rules see', () => {
    expect(readPayer(payer)).to.deep.equal({
      ...payer,
      phoneNumber: '+351912345678',
      state: '',
      postalCode: '4050',
      country: 'GB',
      ipAddress: '203.0.113.9',
    });
  });

  it('adds no field that the merchant did not send', () => {
    expect(readPayer({ name: '\u00a0', ipAddress: 'unknown' })).to.deep.equal({ name: '', ipAddress: null });
  });

  it('returns the same when it reads its own result', () => {
    expect(readPayer(readPayer(payer))).to.deep.equal(readPayer(payer));
  });
});

describe('knownFields', () => {
  it('leaves out blank and absent fields', () => {
    expect(knownFields(readPayer({ ...payer, name: '', city: '\u200b' }))).to.have.keys(
      'email',
      'phoneNumber',
      'address',
      'postalCode',
      'country',
    );
    expect(knownFields({})).to.deep.equal({});
  });
});

describe('readBrowserInfo', () => {
  const browserInfo = {
    acceptHeader: 'text/html',
    colorDepth: '30',
    ip: '203.0.113.9',
    javaEnabled: false,
    javascriptEnabled: true,
    language: 'pt-PT',
    screenHeight: '1080',
    screenWidth: '1920',
    timezone: '-840',
    userAgent: 'Mozilla/5.0',
  };

  it('returns complete data unchanged', () => {
    expect(readBrowserInfo(browserInfo)).to.deep.equal(browserInfo);
  });

  it('rounds fractions, and completes javaEnabled', () => {
    const { javaEnabled: _, ...others } = browserInfo;
    expect(
      readBrowserInfo({ ...others, screenWidth: '411.4285', screenHeight: '731.5', timezone: '-0.4' }),
    ).to.deep.equal({
      ...browserInfo,
      screenWidth: '411',
      screenHeight: '732',
      timezone: '0',
    });
  });

  it('leaves out a member that cannot be read, and keeps the other members', () => {
    const odd = {
      acceptHeader: ' ',
      colorDepth: 'deep',
      ip: 'unknown',
      language: '*',
      screenHeight: '-1',
      screenWidth: '',
      timezone: 'Europe/Lisbon',
      userAgent: '',
    };
    for (const [name, value] of Object.entries(odd)) {
      const { [name as keyof typeof odd]: _, ...others } = browserInfo;
      expect(readBrowserInfo({ ...browserInfo, [name]: value }), name).to.deep.equal(others);
    }
    expect(readBrowserInfo(odd)).to.equal(undefined);
    expect(readBrowserInfo({})).to.equal(undefined);
  });

  it('reads one language from a header', () => {
    expect(['pt-PT,pt;q=0.9,en;q=0.8', 'pt_PT', 'zh-Hans-CN', '*, de', ' en ;q=1'].map(readLanguage)).to.deep.equal([
      'pt-PT',
      'pt-PT',
      'zh-Hans-CN',
      'de',
      'en',
    ]);
    expect(['*', '', ' ', '*;q=0.5', 'x', '12'].map(readLanguage)).to.deep.equal(Array(6).fill(undefined));
  });
});
