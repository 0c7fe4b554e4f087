import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkSettings } from './check-settings.ts';

describe("the settings of an adapter, in the doctor's eyes", () => {
  const about = (
    options: object,
    { isProduction = true, takesTestPayments = true }: { isProduction?: boolean; takesTestPayments?: boolean } = {},
  ) => checkSettings({ name: 'provider-x', options: options as never, takesTestPayments }, isProduction);

  it('are wrong in production where it takes pings that nobody signed', () => {
    const [found, ...others] = about({ requireSignedPing: false });
    expect(found?.state).to.equal('wrong');
    expect(found?.text).to.match(/^provider-x: requireSignedPing is false: /);
    expect(others).to.deep.equal([]);
  });

  it('are right where pings must be signed, elsewhere, and of adapters without pings', () => {
    expect(about({ requireSignedPing: true })).to.deep.equal([]);
    expect(about({ requireSignedPing: false }, { isProduction: false })).to.deep.equal([]);
    expect(about({})).to.deep.equal([]);
  });

  it('are to be looked at where a secret serves both sides', () => {
    const [found] = about({}, { takesTestPayments: false });
    expect([found?.state, found?.text.includes('accepts no test payments')]).to.deep.equal(['warn', true]);
  });
});
