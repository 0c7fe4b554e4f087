import { expect } from 'chai';
import { describe, it } from 'mocha';
import { secretOptions, unreportedAlarms } from './doctor.ts';

describe('unreportedAlarms', () => {
  const about = (alarms: object, isProduction: boolean, smtp?: object) =>
    unreportedAlarms({ config: { alarms: { mailTo: [], ...alarms }, mail: { smtp } } as never, isProduction });
  const webhook = { url: 'https://ops.example/', secret: 'whsec_' };

  it('warns in production if alarms are not reported', () => {
    expect(about({}, true)).to.deep.equal([
      'alarms are not reported: set alarms.webhook or alarms.mailTo (config/README.md)',
    ]);
    expect([about({ webhook }, true), about({}, false)]).to.deep.equal([[], []]);
  });

  it('warns about mail addresses without a mail server', () => {
    expect(about({ mailTo: ['ops@example.com'] }, false)).to.have.length(1);
    expect(about({ mailTo: ['ops@example.com'] }, true, { host: 'mail.example' })).to.deep.equal([]);
  });
});

describe('secretOptions', () => {
  it('counts the options that hold secrets, in words', () => {
    expect([0, 1, 2].map(secretOptions)).to.deep.equal(['0 secret options', '1 secret option', '2 secret options']);
  });
});
