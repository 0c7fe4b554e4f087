import { expect } from 'chai';
import { describe, it } from 'mocha';
import { errors, readReference, toAmount, toMoney } from '../wire.ts';
import { error } from './messages.ts';

describe('an amount of Adyen', () => {
  for (const [currency, amount, value] of [
    ['EUR', '25.9', 2590],
    ['JPY', '2590', 2590],
    ['KWD', '25.905', 25_905],
    ['ISK', '2590', 259_000],
    ['CLP', '2590', 259_000],
    ['IDR', '2590.00', 2590],
    ['CVE', '7', 7],
    ['EUR', '0.01', 1],
  ] as const) {
    it(`converts ${amount} ${currency} to ${value} and back`, () => {
      expect(toAmount({ amount, currency })).to.deep.equal({ value, currency });
      const back = toMoney({ value: String(value), currency });
      expect([Number(back.amount), back.currency]).to.deep.equal([Number(amount), currency]);
    });
  }

  it('is refused if Adyen has fewer decimals', () => {
    expect([toAmount({ amount: '25.9', currency: 'IDR' }), toAmount({ amount: '0.5', currency: 'CVE' })]).to.deep.equal(
      [undefined, undefined],
    );
  });
});

describe('readReference', () => {
  it('reads our reference with the mark of a reservation, and in names of refunds, captures and cancels', () => {
    const read = ['GW-10042-1', 'GW-10042-1-H', 'GW-10042-1-R12', 'GW-10042-1-C2', 'GW-10042-1-V'].map(readReference);
    expect(read.map((one) => `${one?.reference} ${one?.isHeld}`)).to.deep.equal([
      'GW-10042-1 false',
      'GW-10042-1 true',
      ...Array<string>(3).fill('GW-10042-1 false'),
    ]);
  });

  it('accepts no other text', () => {
    for (const text of ['', 'order-1', 'GW-10042', 'GW-10042-1-X', ' GW-10042-1', 'GW-10042-1-H-R1-R2', 'GW-0-1']) {
      expect(readReference(text), text).to.equal(undefined);
    }
  });
});

describe('an error answer of Adyen', () => {
  for (const [status, code, type, outcome, isOurFault] of [
    [400, '702', 'validation', 'failed', false],
    [422, '101', 'validation', 'failed', false],
    [401, '000', 'security', 'failed', true],
    [403, '010', 'security', 'failed', true],
    [422, '901', 'validation', 'failed', true],
    [429, '000', 'validation', 'failed', false],
    [409, '704', 'validation', 'unknown', false],
    [422, '704', 'validation', 'unknown', false],
    [422, '0', 'internal', 'unknown', false],
    [500, '905', 'configuration', 'failed', true],
    [422, '905', 'configuration', 'failed', true],
    [500, '905_1', 'configuration', 'failed', true],
    [500, '704', 'configuration', 'unknown', false],
    [500, '905', 'validation', 'unknown', false],
    [500, '701', 'internal', 'unknown', false],
    [500, '905', 'other', 'unknown', false],
    [503, '', '', 'unknown', false],
  ] as const) {
    it(`means ${outcome} for ${status} ${code} of ${type || 'no type'}${isOurFault ? ', with an alarm' : ''}`, () => {
      const read = errors.toOutcome(error(status, code, type));
      expect(read.outcome).to.equal(outcome);
      expect('misconfigured' in read).to.equal(isOurFault);
      if (outcome === 'failed') expect(read).to.have.property('nothingCharged', true);
      expect(errors.toRefundOutcome(error(status, code, type))).to.deep.equal(read);
    });
  }

  for (const [code, message, field] of [
    ['101', 'Invalid card number', 'number'],
    ['103', 'CVC is not the right length', 'cvv'],
    ['140', 'Invalid expiryMonth[1..12] / expiryYear[>2000], or before now', 'expiration'],
    ['134', 'Billing address problem (Country XK invalid)', 'country'],
    ['131', "Required field 'billingAddress.city' is not provided.", 'city'],
    ['200', "Field 'countryCode' is not valid.", 'country'],
    ['200', "Field 'shopperIP' is not valid.", 'ipAddress'],
    ['100', "Required field 'paymentMethod.holderName' is not provided.", 'name'],
    ['138', 'Unsupported currency specified', 'unit'],
    ['174', "Field 'lineItems' is not valid.", 'body'],
    ['174', 'Something else', 'body'],
  ] as const) {
    it(`names ${field} for 422 ${code}: ${message}`, () => {
      const reply = error(422, code, 'validation');
      const body = { ...(JSON.parse(Buffer.from(reply.body).toString()) as object), message };
      const outcome = errors.toOutcome({ ...reply, body: Buffer.from(JSON.stringify(body)) });
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true, refusedField: field });
    });
  }

  it('names no field if a request was not read, or may be in progress', () => {
    expect(errors.toOutcome(error(400, '702', 'validation'))).not.to.have.property('refusedField');
    expect(errors.toOutcome(error(422, '704', 'validation'))).not.to.have.property('refusedField');
  });

  it('names the code if the account lacks an acquirer', () => {
    expect(errors.toOutcome(error(500, '905', 'configuration')))
      .to.have.property('reason')
      .that.contains('500 905');
  });

  it('stays unknown with the status 500 and a body that is no error of Adyen’s', () => {
    for (const body of ['<html>configuration</html>', '{"errorType":"configuration"}', '[]', '']) {
      expect(errors.toOutcome({ ...error(500, '', ''), body: Buffer.from(body) }).outcome, body).to.equal('unknown');
    }
  });
});
