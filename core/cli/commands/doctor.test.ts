import { expect } from 'chai';
import { describe, it } from 'mocha';
import { unsignedPings, untoldAlarms } from './doctor.ts';

describe('doctor, about unsigned pings', () => {
  const about = (options: object, environment: 'production' | 'development') =>
    unsignedPings({ name: 'provider-x', options: options as never }, { environment });

  it('fails in production where an adapter takes them', () => {
    expect(about({ requireSignedPing: false }, 'production')).to.match(/^provider-x: requireSignedPing is false: /);
  });

  it('says nothing where they must be signed, elsewhere, and of adapters without pings', () => {
    expect(about({ requireSignedPing: true }, 'production')).to.equal(undefined);
    expect(about({ requireSignedPing: false }, 'development')).to.equal(undefined);
    expect(about({}, 'production')).to.equal(undefined);
  });
});

describe('doctor, about alarms', () => {
  const about = (alarms: object, environment: 'production' | 'development', smtp?: object) =>
    untoldAlarms({ config: { alarms: { mailTo: [], ...alarms }, mail: { smtp } } as never, environment });
  const webhook = { url: 'https://ops.example/', secret: 'whsec_' };

  it('warns in production where nobody is told of them', () => {
    expect(about({}, 'production')).to.deep.equal([
      'nobody is told of alarms: set alarms.webhook or alarms.mailTo (config/README.md)',
    ]);
    expect([about({ webhook }, 'production'), about({}, 'development')]).to.deep.equal([[], []]);
  });

  it('warns of mail addresses without a mail server', () => {
    expect(about({ mailTo: ['ops@example.com'] }, 'development')).to.have.length(1);
    expect(about({ mailTo: ['ops@example.com'] }, 'production', { host: 'mail.example' })).to.deep.equal([]);
  });
});
