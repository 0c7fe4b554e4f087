import { amountBound, v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { accepts, chargeOf, type Candidate } from './accepts.ts';
import { fakeActive, type FakeChanges } from './testing/fake-adapter.ts';

const judge = (manifest: FakeChanges['manifest'], candidate: Partial<Candidate>) =>
  accepts(fakeActive(manifest ? { manifest } : {}), { unit: 'EUR', amount: '25.9', body: {}, ...candidate });
const fields = (manifest: FakeChanges['manifest'], candidate: Partial<Candidate>): string[] => {
  const result = judge(manifest, candidate);
  return result.ok ? [] : result.errors.map(({ field }) => field);
};
const coins = { currencies: 'any', cryptocurrencies: ['BTC'] } as const;
const units = { units: { DE: 'EUR', JP: 'JPY', KW: 'KWD' } };

describe('accepts', () => {
  it('returns the money that will be charged', () => {
    expect(judge({}, {})).to.deep.equal({ ok: true, money: { amount: '25.9', currency: 'EUR' } });
    expect(judge(units, { unit: 'DE' })).to.deep.equal({ ok: true, money: { amount: '25.9', currency: 'EUR' } });
  });

  for (const [what, manifest, candidate, expected] of [
    ['a currency in the list', {}, { unit: 'JPY', amount: '5' }, []],
    ['a currency outside the list', {}, { unit: 'USD' }, ['unit']],
    ['a currency in small letters', {}, { unit: 'eur' }, ['unit']],
    ['any currency if all are accepted', { currencies: 'any' }, { unit: 'KWD', amount: '1.234' }, []],
    ['a currency that has ended if all are accepted', { currencies: 'any' }, { unit: 'ANG' }, ['unit']],
    ['a currency in the list that has ended', { currencies: ['EUR', 'BGN'] }, { unit: 'BGN' }, ['unit']],
    ['the currency of a unit that has ended', { units: { BG: 'BGN' } }, { unit: 'BG' }, ['unit']],
    ['a text that is not a currency if all are accepted', { currencies: 'any' }, { unit: 'EURO' }, ['unit']],
    ['a currency that the function of the options returns', { currencies: () => ['USD'] }, { unit: 'USD' }, []],
    ['a currency that the function does not return', { currencies: () => ['USD'] }, {}, ['unit']],
    ['a coin that is listed', { currencies: ['BTC'] }, { unit: 'BTC', amount: '1' }, []],
    ['a listed cryptocurrency in addition to any currency', coins, { unit: 'BTC', amount: '0.00000001' }, []],
    ['a currency in addition to a cryptocurrency', coins, { unit: 'EUR' }, []],
    ['less than the smallest part of a coin', coins, { unit: 'BTC', amount: '0.000000001' }, ['amount']],
    ['a cryptocurrency that is not listed', coins, { unit: 'ETH' }, ['unit']],
    ['a cryptocurrency that the operator did not open', coins, { unit: 'BTC', openCurrencies: ['USD'] }, ['unit']],
    ['a currency that the operator opened', { currencies: 'any' }, { unit: 'USD', openCurrencies: ['USD'] }, []],
    ['a currency that the operator did not open', {}, { openCurrencies: ['JPY'] }, ['unit']],
    ['an opened currency that the provider does not support', {}, { unit: 'USD', openCurrencies: ['USD'] }, ['unit']],
    ['a country as unit', units, { unit: 'JP', amount: '5' }, []],
    ['a currency that is missing from the units', units, { unit: 'EUR' }, ['unit']],
    ['a country that is missing from the units', units, { unit: 'UK' }, ['unit']],
    ['an inherited name as unit', units, { unit: 'constructor' }, ['unit']],
    ['a unit whose currency is not open', units, { unit: 'KW' }, ['unit']],
    [
      'a unit whose currency the operator did not open',
      units,
      { unit: 'JP', amount: '5', openCurrencies: ['EUR'] },
      ['unit'],
    ],
    ['more decimals than the currency has', {}, { amount: '25.901' }, ['amount']],
    ['zeros beyond the decimals', {}, { amount: '25.900' }, []],
    ['decimals of a currency without any', {}, { unit: 'JPY', amount: '5.5' }, ['amount']],
    ['as many digits as the provider accepts', { maxMinorDigits: 4 }, { amount: '99.99' }, []],
    ['more digits than the provider accepts', { maxMinorDigits: 4 }, { amount: '100' }, ['amount']],
    ['a country that is served', { countries: ['DE'] }, { country: 'de' }, []],
    ['a country that is not served', { countries: ['DE'] }, { country: 'FR' }, ['country']],
    ['any country without a list', {}, { country: '??' }, []],
  ] as const) {
    it(`${expected.length ? 'refuses' : 'accepts'} ${what}`, () => {
      expect(fields(manifest, candidate)).to.deep.equal(expected);
    });
  }

  const bounds = v.looseObject({
    is3ds: v.optional(v.literal(false, 'this provider has no 3D Secure')),
    state: v.optional(v.pipe(v.string(), v.maxLength(3))),
    number: v.optional(v.pipe(v.string(), v.regex(/^4/))),
    wallet: v.optional(v.undefined('no wallets')),
    browserInfo: v.optional(v.looseObject({ ip: v.optional(v.pipe(v.string(), v.maxLength(2, 'too long'))) })),
  });

  const tenths = v.pipe(
    v.looseObject({ amount: v.optional(v.unknown()), unit: v.optional(v.unknown()) }),
    amountBound(({ amount }) => (/\.\d[1-9]/.test(amount) ? 'counts tenths' : undefined)),
  );

  it('judges the amount of the payment request, whatever the body says', () => {
    const refused = { ok: false, errors: [{ field: 'amount', value: '10.25', message: 'counts tenths' }] };
    expect(judge({ bounds: tenths }, { amount: '10.25', body: {} })).to.deep.equal(refused);
    expect(judge({ bounds: tenths }, { amount: '10.5', body: {} })).to.include({ ok: true });
    const named = { ok: false, errors: [{ field: 'amount', value: 10.25, message: 'counts tenths' }] };
    expect(judge({ bounds: tenths }, { amount: '10.25', body: { amount: 10.25 } })).to.deep.equal(named);
  });

  it('charges only an amount that the bounds allow', () => {
    const active = fakeActive({ manifest: { bounds: tenths } });
    expect(chargeOf(active, { amount: '10.25', unit: 'EUR' })).to.equal(undefined);
    expect(chargeOf(active, { amount: '10.5', unit: 'EUR' })).to.deep.equal({ amount: '10.5', currency: 'EUR' });
  });

  it('reports every broken bound, with dotted field names and the values as sent', () => {
    const body = { state: 'abcd', browserInfo: { ip: '1.2' }, is3ds: true };
    expect(judge({ bounds }, { body })).to.deep.equal({
      ok: false,
      errors: [
        { field: 'is3ds', value: true, message: 'this provider has no 3D Secure' },
        { field: 'state', value: 'abcd', message: 'expected <=3' },
        { field: 'browserInfo.ip', value: '1.2', message: 'too long' },
      ],
    });
  });

  it('never shows a card number or a wallet', () => {
    const body = { number: '5555555555554444', wallet: { authenticationValue: 'cryptogram' } };
    const result = judge({ bounds }, { body });
    expect(result).to.deep.include({ ok: false });
    expect(JSON.stringify(result))
      .to.contain('[hidden]')
      .and.not.match(/5555|cryptogram/);
  });

  it('shows only the field that a rule about several fields names, and never the whole body', () => {
    const body = { upiId: 'asha@okbank', unit: 'USD', number: '5555555555554444' };
    const named = v.pipe(
      v.looseObject({ upiId: v.optional(v.string()), unit: v.optional(v.string()) }),
      v.forward(
        v.check(({ upiId, unit }) => !upiId || unit === 'INR', 'must be INR for UPI'),
        ['unit'],
      ),
    );
    expect(judge({ bounds: named }, { body })).to.deep.equal({
      ok: false,
      errors: [{ field: 'unit', value: 'USD', message: 'must be INR for UPI' }],
    });
    const whole = v.pipe(
      v.looseObject({}),
      v.check(() => false, 'not this body'),
    );
    expect(judge({ bounds: whole }, { body })).to.deep.equal({
      ok: false,
      errors: [{ field: 'body', value: '[hidden]', message: 'not this body' }],
    });
  });

  it('checks the 3D Secure that a rule demands, not the value in the body', () => {
    expect(fields({ bounds }, { body: { is3ds: false }, is3ds: true })).to.deep.equal(['is3ds']);
    expect(fields({}, { body: {}, is3ds: true })).to.deep.equal([]);
  });

  it('keeps one error per field, and shows the amount as sent', () => {
    const narrow = v.looseObject({ unit: v.pipe(v.string(), v.length(2, 'two letters')) });
    expect(judge({ bounds: narrow, currencies: [] }, { body: { unit: 'EUR', amount: 25.9 } })).to.deep.equal({
      ok: false,
      errors: [{ field: 'unit', value: 'EUR', message: 'two letters' }],
    });
    expect(judge({}, { amount: '25.901', body: { amount: 25.901 } })).to.deep.equal({
      ok: false,
      errors: [{ field: 'amount', value: 25.901, message: 'EUR has 2 decimals' }],
    });
  });
});
