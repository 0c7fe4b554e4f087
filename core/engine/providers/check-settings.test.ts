import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkSettings } from './check-settings.ts';

describe('checkSettings', () => {
  const about = (
    options: object,
    { isProduction = true, takesTestPayments = true }: { isProduction?: boolean; takesTestPayments?: boolean } = {},
  ) => checkSettings({ ref: 'provider-x', options: options as never, takesTestPayments }, isProduction);

  it('reports an adapter that accepts unsigned pings in production', () => {
    const [found, ...others] = about({ requireSignedPing: false });
    expect(found?.state).to.equal('wrong');
    expect(found?.text).to.match(/^provider-x: requireSignedPing is false: /);
    expect(others).to.deep.equal([]);
  });

  it('accepts signed pings, other environments, and adapters without pings', () => {
    expect(about({ requireSignedPing: true })).to.deep.equal([]);
    expect(about({ requireSignedPing: false }, { isProduction: false })).to.deep.equal([]);
    expect(about({})).to.deep.equal([]);
  });

  it('reports a secret that is used on both sides', () => {
    const [found] = about({}, { takesTestPayments: false });
    expect([found?.state, found?.text.includes('accepts no test payments')]).to.deep.equal(['warn', true]);
  });
});
