import { claimOf, reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import paypal from '../index.ts';
import { errors, get, refuseAmount, send, toPayPalMoney } from '../wire.ts';
import { context, granted, harness } from './messages.ts';

describe('send', () => {
  it('requests an access token once, and sends it with every call', async () => {
    const { ctx, requests } = context([granted(), reply(200), reply(200)]);
    await send(ctx, get('/a'));
    await send(ctx, get('/b'));
    expect(requests.map(({ path }) => path)).to.deep.equal(['/v1/oauth2/token', '/a', '/b']);
    expect(requests[0]).to.include({ body: 'grant_type=client_credentials', chargesNothing: true });
    const basic = Buffer.from('AbClientIdOfATestApp:EF-secret-of-a-test-app-1').toString('base64');
    expect(requests[0]!.headers).to.include({ Authorization: `Basic ${basic}` });
    expect(requests[2]!.headers).to.include({ Authorization: 'Bearer A21' });
  });

  it('replaces a token that PayPal revoked, and repeats the request once', async () => {
    const revoked = reply(401, { error: 'invalid_token' });
    const { ctx, requests } = context([granted(), revoked, granted(32_400, 'A22'), reply(200)]);
    expect((await send(ctx, get('/a'))).status).to.equal(200);
    expect(requests.map(({ path }) => path)).to.deep.equal(['/v1/oauth2/token', '/a', '/v1/oauth2/token', '/a']);
    expect(requests[3]!.headers).to.include({ Authorization: 'Bearer A22' });
  });
});

describe('submit without an access token', () => {
  it('is misconfigured if PayPal refuses the client', async () => {
    const { ctx } = context([reply(401, { error: 'invalid_client' })]);
    const failed: unknown = await paypal.submit(harness.submission, ctx).catch((error: unknown) => error);
    expect(failed).to.include({ failure: 'not_sent', misconfigured: true });
  });

  it('charges nothing if the token does not arrive', async () => {
    const { ctx } = context([]);
    const failed: unknown = await paypal.submit(harness.submission, ctx).catch((error: unknown) => error);
    expect(failed).to.include({ failure: 'not_sent' });
  });
});

describe('toPayPalMoney', () => {
  for (const [amount, currency, value] of [
    ['25.9', 'EUR', '25.90'],
    ['2590', 'JPY', '2590'],
    ['2590', 'HUF', '2590'],
    ['2590.00', 'TWD', '2590'],
  ] as const) {
    it(`writes ${amount} ${currency} as ${value}`, () => {
      expect(toPayPalMoney({ amount, currency })).to.deep.equal({ currency_code: currency, value });
      expect(refuseAmount({ amount, currency })).to.equal(undefined);
    });
  }

  for (const [amount, currency] of [
    ['2590.5', 'HUF'],
    ['25.905', 'EUR'],
  ] as const) {
    it(`refuses ${amount} ${currency}`, () => {
      expect(toPayPalMoney({ amount, currency })).to.equal(undefined);
      expect(refuseAmount({ amount, currency })).to.match(new RegExp(`no decimals in ${currency}$`));
    });
  }
});

describe('errors', () => {
  const about = (status: number, issue: string, field?: string) =>
    reply(status, { name: 'UNPROCESSABLE_ENTITY', details: [{ issue, field }] });
  for (const [status, issue, claim] of [
    [422, 'INSTRUMENT_DECLINED', 'declined 05'],
    [422, 'TRANSACTION_LIMIT_EXCEEDED', 'declined 61'],
    [422, 'INVALID_CURRENCY_CODE', 'nothing charged'],
    [400, 'INVALID_PARAMETER_SYNTAX', 'nothing charged'],
    [403, 'PERMISSION_DENIED', 'misconfigured'],
    [422, 'ORDER_ALREADY_CAPTURED', 'unknown'],
    [422, 'DUPLICATE_INVOICE_ID', 'unknown'],
    [409, 'PREVIOUS_REQUEST_IN_PROGRESS', 'unknown'],
    [500, 'INTERNAL_SERVER_ERROR', 'unknown'],
    [503, 'INSTRUMENT_DECLINED', 'unknown'],
    [500, 'INVALID_CURRENCY_CODE', 'unknown'],
  ] as const) {
    it(`reads ${status} ${issue} as ${claim}`, () => {
      expect(claimOf(errors.toOutcome(about(status, issue)))).to.equal(claim);
    });
  }

  for (const [issue, field, refused] of [
    ['DECIMAL_PRECISION', undefined, 'amount'],
    ['INVALID_PARAMETER_VALUE', "/purchase_units/@reference_id=='default'/amount/value", 'amount'],
    ['INVALID_PARAMETER_VALUE', '/amount/currency_code', 'unit'],
    ['INVALID_PARAMETER_VALUE', '/purchase_units/0/custom_id', undefined],
  ] as const) {
    it(`names ${refused ?? 'no field'} for ${issue} about ${field ?? 'no member'}`, () => {
      const outcome = errors.toOutcome(about(422, issue, field));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect('refusedField' in outcome ? outcome.refusedField : undefined).to.equal(refused);
    });
  }

  it('says nothing without PayPal’s own error body', () => {
    for (const status of [400, 403, 404, 422]) {
      expect(errors.toOutcome(reply(status, '<html>')).outcome).to.equal('unknown');
      expect(errors.toRefundOutcome(reply(status, {})).outcome).to.equal('unknown');
    }
  });
});
