import { expect } from 'chai';
import { formatAddress } from 'localized-address-format';
import { describe, it } from 'mocha';
import { existsIn, isRequiredIn, toCountry } from '../../index.ts';

/** Every code of two letters. */
const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
const codes = letters.flatMap((first) => letters.map((second) => first + second));

/** True if the published format of the country's addresses contains the field. */
function has(country: string, field: 'postalCode' | 'administrativeArea'): boolean {
  const shown = (['local', 'latin'] as const).flatMap((script) =>
    formatAddress({ postalCountry: country, [field]: 'MARKED' }, script),
  );
  return shown.some((line) => line.includes('MARKED'));
}

describe('existsIn', () => {
  it('hides no postal code that the published format of the country’s addresses has', () => {
    for (const code of codes) if (has(code, 'postalCode')) expect(existsIn(code, 'postalCode'), code).to.equal(true);
  });

  it('hides the postal code where there is none', () => {
    for (const code of ['HK', 'AE', 'QA', 'JM', 'MO', 'PA', 'BS', 'FJ', 'AG', 'UG', 'ZW'])
      expect(existsIn(code, 'postalCode'), code).to.equal(false);
  });

  it('has a state exactly where an address needs one', () => {
    for (const code of codes) expect(existsIn(code, 'state'), code).to.equal(isRequiredIn(code, 'state'));
  });
});

describe('isRequiredIn', () => {
  it('requires only what the published format of the country’s addresses contains', () => {
    for (const code of codes) {
      if (isRequiredIn(code, 'postalCode')) expect(has(code, 'postalCode'), `postal code in ${code}`).to.equal(true);
      if (isRequiredIn(code, 'state')) expect(has(code, 'administrativeArea'), `state in ${code}`).to.equal(true);
    }
  });

  it('requires no postal code where there is none', () => {
    for (const code of ['HK', 'AE', 'QA', 'JM', 'MO', 'PA', 'BS', 'FJ', 'AG', 'UG', 'ZW'])
      expect(isRequiredIn(code, 'postalCode'), code).to.equal(false);
    for (const code of ['US', 'CA', 'GB', 'DE', 'FR', 'PT', 'IN', 'JP', 'SG', 'BR'])
      expect(isRequiredIn(code, 'postalCode'), code).to.equal(true);
  });

  it('requires no state where addresses are written without one', () => {
    for (const code of ['SG', 'MT', 'MC', 'VA', 'DE', 'FR', 'NL', 'GB', 'PT', 'XK'])
      expect(isRequiredIn(code, 'state'), code).to.equal(false);
    for (const code of ['US', 'CA', 'AU', 'BR', 'IN', 'MX', 'AE'])
      expect(isRequiredIn(code, 'state'), code).to.equal(true);
  });
});

describe('toCountry', () => {
  it('writes capital letters, and corrects the two well-known wrong codes', () => {
    expect(['pt', 'Pt', ' gb', 'UK', 'uk', 'EL', 'el', 'xk', 'GR'].map(toCountry)).to.deep.equal([
      'PT',
      'PT',
      'GB',
      'GB',
      'GB',
      'GR',
      'GR',
      'XK',
      'GR',
    ]);
  });
});
