import { expect } from 'chai';
import { describe, it } from 'mocha';
import { unreportedAlarms } from './doctor.ts';

describe('doctor, about alarms', () => {
  const about = (alarms: object, environment: 'production' | 'development', smtp?: object) =>
    unreportedAlarms({ config: { alarms: { mailTo: [], ...alarms }, mail: { smtp } } as never, environment });
  const webhook = { url: 'https://ops.example/', secret: 'whsec_' };

  it('warns in production where they are reported to nobody', () => {
    expect(about({}, 'production')).to.deep.equal([
      'alarms are reported to nobody: set alarms.webhook or alarms.mailTo (config/README.md)',
    ]);
    expect([about({ webhook }, 'production'), about({}, 'development')]).to.deep.equal([[], []]);
  });

  it('warns of mail addresses without a mail server', () => {
    expect(about({ mailTo: ['ops@example.com'] }, 'development')).to.have.length(1);
    expect(about({ mailTo: ['ops@example.com'] }, 'production', { host: 'mail.example' })).to.deep.equal([]);
  });
});
