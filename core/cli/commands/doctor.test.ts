import { expect } from 'chai';
import { describe, it } from 'mocha';
import { unreportedAlarms } from './doctor.ts';

describe('doctor, about alarms', () => {
  const about = (alarms: object, isProduction: boolean, smtp?: object) =>
    unreportedAlarms({ config: { alarms: { mailTo: [], ...alarms }, mail: { smtp } } as never, isProduction });
  const webhook = { url: 'https://ops.example/', secret: 'whsec_' };

  it('warns in production where they are reported to nobody', () => {
    expect(about({}, true)).to.deep.equal([
      'alarms are reported to nobody: set alarms.webhook or alarms.mailTo (config/README.md)',
    ]);
    expect([about({ webhook }, true), about({}, false)]).to.deep.equal([[], []]);
  });

  it('warns of mail addresses without a mail server', () => {
    expect(about({ mailTo: ['ops@example.com'] }, false)).to.have.length(1);
    expect(about({ mailTo: ['ops@example.com'] }, true, { host: 'mail.example' })).to.deep.equal([]);
  });
});
