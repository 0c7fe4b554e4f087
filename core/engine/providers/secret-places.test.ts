import { described, secret, v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkSettings } from './check-settings.ts';
import { secretPlaces } from './secret-places.ts';
import { fakeActive } from './testing/fake-adapter.ts';

const options = v.strictObject({
  baseUrl: v.string(),
  sandboxBaseUrl: v.string(),
  key: described(secret(), 'Console, Keys.'),
});
const manifest = { options };

describe('secretPlaces', () => {
  it('names the config of an account that config describes', () => {
    expect(secretPlaces(fakeActive({ manifest }), false)).to.equal('Compare adapters.acme.options.key (Console, Keys)');
    expect(secretPlaces(fakeActive({ manifest, account: 'shop' }), true)).to.equal(
      'Compare adapters.acme.accounts.shop.sandboxOptions.key (Console, Keys)',
    );
  });

  it('names the command of an account that the database has, and no path of the config', () => {
    const shop = fakeActive({ manifest, account: 'shop', isStored: true });
    expect(secretPlaces(shop, false)).to.equal(
      'Compare key (Console, Keys): paywright accounts set acme/shop --options <file>',
    );
    expect(secretPlaces(shop, true)).to.contain('paywright accounts set acme/shop --sandbox-options <file>');
    const [finding] = checkSettings({ ...shop, takesTestPayments: false }, true);
    expect(finding?.text).to.contain('with paywright accounts set acme/shop --sandbox-options <file>');
  });
});
