import { expect } from 'chai';
import { describe, it } from 'mocha';
import { unsignedPings } from './doctor.ts';

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
