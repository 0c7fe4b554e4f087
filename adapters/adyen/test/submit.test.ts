// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
// cspell:ignore nchen
import { Types } from '@adyen/api-library';
import { v, type HttpReply, type Submission } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import adyen from '../index.ts';
import { paymentRequest, submit } from '../submit.ts';
import { harness, answered, authorised, psp } from './messages.ts';

const { createContext, submission } = harness;

const browserInfo = {
  acceptHeader: 'text/html',
  colorDepth: '24',
  javaEnabled: false,
  language: 'en-US',
  screenHeight: '1080',
  screenWidth: '1920',
  timezone: '-60',
  userAgent: 'Mozilla/5.0',
};

/** A type of Adyen's library in its JSON form: enumerations are strings. */
type Spelled<T> = T extends string
  ? `${T}`
  : T extends Date
    ? string
    : T extends object
      ? { [K in keyof T]: Spelled<T[K]> }
      : T;
type Checkout = typeof Types.checkout;

/** Compiles as long as the body matches the type of Adyen's library. */
function asTheirs(given: Submission<'card'>): Spelled<InstanceType<Checkout['PaymentRequest']>> {
  const { paymentMethod, ...rest } = paymentRequest(given, createContext())!;
  const card: Spelled<InstanceType<Checkout['CardDetails']>> = paymentMethod;
  return { ...rest, paymentMethod: card };
}

const submitted = (answer: HttpReply, given: Partial<Submission<'card'>> = {}) =>
  answered(answer, (ctx) => submit({ ...submission, ...given }, ctx));

describe('submit', () => {
  const held = { captureDelayHours: 4, is3ds: true, browserInfo, payer: { ...submission.payer, ipAddress: '::1' } };
  for (const [title, given] of [
    ['a plain payment', submission],
    ['a payment with all members', { ...submission, ...held }],
  ] as const) {
    it(`sends only members and types that Adyen’s library has: ${title}`, () => {
      const body = JSON.parse(JSON.stringify(asTheirs(given))) as Record<string, unknown>;
      // The library drops members that its models, generated from Adyen's OpenAPI, do not have.
      const { ObjectSerializer } = Types.checkout;
      const model = ObjectSerializer.deserialize(body, 'PaymentRequest') as unknown;
      const back: unknown = JSON.parse(JSON.stringify(ObjectSerializer.serialize(model, 'PaymentRequest')));
      expect(back).to.deep.equal(body);
    });
  }

  it('names the attempt, and marks in the reference whether the money is only reserved', async () => {
    const { body, request } = await submitted(authorised(), { captureDelayHours: 2 });
    expect(body).to.include({ reference: 'GW-10042-1-H', captureDelayHours: 2 });
    expect(request?.headers).to.include({ 'Idempotency-Key': 'GW-10042-1', 'X-API-Key': 'AQEtest-2f7c91d04be6' });
    expect((await submitted(authorised())).body).to.include({ reference: 'GW-10042-1', captureDelayHours: 0 });
  });

  it('passes a demand for 3D Secure on, and uses a return address with our own token', async () => {
    const asked = async (is3ds?: boolean) =>
      (await submitted(authorised(), is3ds === undefined ? {} : { is3ds })).body as Record<string, unknown>;
    const request = { nativeThreeDS: 'disabled' };
    expect((await asked(true))['authenticationData']).to.deep.equal({
      attemptAuthentication: 'always',
      threeDSRequestData: request,
    });
    expect((await asked(false))['authenticationData']).to.have.property('attemptAuthentication', 'never');
    expect((await asked())['authenticationData']).to.deep.equal({ threeDSRequestData: request });
    expect(await asked()).to.include({ returnUrl: 'https://gateway.example/callbacks/3ds?t=dG9rZW4' });
  });

  for (const [address, country, state, billing] of [
    ['Rua Augusta 12', 'PT', 'LX', { street: 'Rua Augusta', houseNumberOrName: '12' }],
    ['350 Fifth Avenue', 'US', 'NY', { street: 'Fifth Avenue', houseNumberOrName: '350', stateOrProvince: 'NY' }],
    ['Hauptstr. 1a, 10', 'DE', 'Berlin', { street: 'Hauptstr. 1a', houseNumberOrName: '10' }],
    ['Rua Augusta 1,2b', 'PT', 'LX', { street: 'Rua Augusta 1', houseNumberOrName: '2b' }],
    ['Rua 12\tleft', 'PT', 'LX', undefined],
    ['Rua Augusta', 'PT', 'LX', undefined],
    ['350 Fifth Avenue', 'US', 'New York', undefined],
  ] as const) {
    it(`sends ${billing ? 'the' : 'no'} billing address of ${address}, ${state}`, async () => {
      const payer = { ...submission.payer, address, country, state };
      const { billingAddress } = (await submitted(authorised(), { payer })).body as { billingAddress?: object };
      if (billing) expect(billingAddress).to.include(billing);
      else expect(billingAddress).to.equal(undefined);
    });
  }

  const blank = { name: '', address: '', city: '', state: '', postalCode: '', country: '', phoneNumber: '' };

  it('sends no empty value, and no address that lacks a member', async () => {
    for (const given of [blank, { city: ' ' }, { postalCode: '' }, { country: '' }, { country: '??' }]) {
      const payer = { ...submission.payer, ...given };
      const { body, outcome } = await submitted(authorised(), { payer });
      expect(outcome).to.include({ outcome: 'succeeded' });
      expect(body).not.to.have.property('billingAddress');
      expect(JSON.stringify(body)).not.to.match(/":" *"/);
    }
  });

  it('spells Kosovo QZ', async () => {
    const payer = { ...submission.payer, country: 'XK' };
    const { body } = await submitted(authorised(), { payer });
    expect(body).to.nested.include({ countryCode: 'QZ', 'billingAddress.country': 'QZ' });
  });

  for (const [email, expected] of [
    ['info@münchen.example', 'info@xn--mnchen-3ya.example'],
    ['δοκιμή@shop.example', undefined],
  ] as const) {
    it(`sends ${email} as ${expected ?? 'no address'}`, async () => {
      const { body } = await submitted(authorised(), { payer: { ...submission.payer, email } });
      expect((body as { shopperEmail?: string }).shopperEmail).to.equal(expected);
    });
  }

  it('sends browser data without javaEnabled, and with fractions of a pixel', async () => {
    const { javaEnabled: _, ...less } = browserInfo;
    const { body } = await submitted(authorised(), { browserInfo: { ...less, screenWidth: '411.4285' } });
    expect(body).to.nested.include({ 'browserInfo.javaEnabled': false, 'browserInfo.screenWidth': 411 });
  });

  it('leaves out browser data that lacks a member', async () => {
    const { userAgent: _, ...less } = browserInfo;
    for (const given of [less, { ...browserInfo, timezone: 'Europe/Lisbon' }, { ...browserInfo, language: '*' }]) {
      expect((await submitted(authorised(), { browserInfo: given })).body).not.to.have.property('browserInfo');
    }
  });

  it('sends no request if Adyen has fewer decimals than the amount', async () => {
    const { outcome, request } = await submitted(authorised(), { money: { amount: '25.9', currency: 'IDR' } });
    expect([outcome.outcome, request]).to.deep.equal(['failed', undefined]);
    expect(outcome).to.have.property('nothingCharged', true);
  });

  const failed = { outcome: 'failed', providerReference: psp };
  for (const [title, answer, expected] of [
    ['authorised', authorised(), { outcome: 'succeeded', providerReference: psp }],
    [
      'authorised, to be captured later',
      authorised({ merchantReference: 'GW-10042-1-H' }),
      { outcome: 'pending', authorised: true, providerReference: psp },
    ],
    ['about another attempt', authorised({ merchantReference: 'GW-10042-2' }), { outcome: 'unknown' }],
    ['about another amount', authorised({ amount: { currency: 'EUR', value: 2591 } }), { outcome: 'unknown' }],
    ['without a reference', authorised({ merchantReference: undefined }), { outcome: 'unknown' }],
    ['without an amount', authorised({ amount: undefined }), { outcome: 'unknown' }],
    ['refused', authorised({ resultCode: 'Refused', refusalReasonCode: '12' }), { ...failed, decline: '51' }],
    [
      'refused for a new reason',
      authorised({ resultCode: 'Refused', refusalReasonCode: '99', refusalReason: 'New' }),
      { ...failed, decline: '05', declineText: 'New', unknownStatus: '99' },
    ],
    [
      'refused because the payer was not authenticated',
      authorised({ resultCode: 'Refused', refusalReasonCode: '11' }),
      { ...failed, decline: '05', threeDsResult: 'N' },
    ],
    ['an error', authorised({ resultCode: 'Error', refusalReasonCode: '4' }), { ...failed, decline: '05' }],
    ['cancelled', authorised({ resultCode: 'Cancelled' }), { ...failed, decline: '05' }],
    ['received', authorised({ resultCode: 'Received', amount: undefined }), { outcome: 'pending' }],
    ['pending', authorised({ resultCode: 'Pending' }), { outcome: 'pending' }],
    ['shown to the payer', authorised({ resultCode: 'PresentToShopper' }), { outcome: 'pending' }],
    [
      'authorised in part',
      authorised({ resultCode: 'PartiallyAuthorised', amount: { currency: 'EUR', value: 100 } }),
      { outcome: 'unknown' },
    ],
    [
      'an unrequested native step',
      authorised({ resultCode: 'ChallengeShopper' }),
      { outcome: 'unknown', unknownStatus: 'ChallengeShopper' },
    ],
    ['a redirect without an address', reply(200, { resultCode: 'RedirectShopper' }), { outcome: 'unknown' }],
  ] as const) {
    it(`reads an answer as ${expected.outcome}: ${title}`, async () => {
      expect((await submitted(answer)).outcome).to.deep.include(expected);
    });
  }

  it('shows the result of 3D Secure if the account has it enabled', async () => {
    const shown = async (additionalData: unknown) => (await submitted(authorised({ additionalData }))).outcome;
    expect(await shown({ threeDAuthenticated: 'true' })).to.include({ threeDs: 'authenticated' });
    expect(await shown({ threeDAuthenticated: 'false', threeDOffered: 'true' })).to.include({ threeDs: 'attempted' });
    expect(await shown({ threeDAuthenticated: 'false', threeDOffered: 'false' })).to.include({ threeDs: 'none' });
    for (const data of [undefined, {}, 'odd', { threeDAuthenticated: 1 }]) {
      expect(await shown(data)).not.to.have.property('threeDs');
    }
  });

  it('redirects the payer by GET or by a form', async () => {
    const url = 'https://checkoutshopper-test.adyen.com/threeDS';
    const redirect = async (more: object) =>
      (await submitted(reply(200, { resultCode: 'RedirectShopper', action: { type: 'redirect', url, ...more } })))
        .outcome;
    const transactionId = 'GW-10042-1';
    expect(await redirect({ method: 'GET' })).to.deep.equal({
      outcome: 'pending',
      action: { type: 'redirect', method: 'GET', url, transactionId },
    });
    expect(await redirect({ method: 'POST', data: { MD: 'a', PaReq: 'b', odd: 1 } })).to.deep.equal({
      outcome: 'pending',
      action: { type: 'redirect', method: 'POST', url, fields: { MD: 'a', PaReq: 'b' }, transactionId },
    });
    expect(await redirect({ method: 'GET', url: 'javascript:alert(1)' })).to.include({ outcome: 'unknown' });
  });

  it('charges no amount that Adyen cannot express, and names it before a payment is made', async () => {
    const issueOf = (amount: unknown, unit: string) => {
      const { issues } = v.safeParse(adyen.manifest.bounds!, { amount, unit });
      return issues && [v.getDotPath(issues[0]), issues[0].message];
    };
    expect(issueOf(10.25, 'CVE')).to.deep.equal(['amount', 'Adyen counts CVE with 0 decimals']);
    expect(issueOf('10.5', 'IDR')).to.deep.equal(['amount', 'Adyen counts IDR with 0 decimals']);
    const right = [
      ['10', 'CVE'],
      ['10.00', 'IDR'],
      ['10', 'ISK'],
      ['10', 'CLP'],
      ['10.25', 'EUR'],
      [undefined, 'CVE'],
    ] as const;
    for (const [amount, unit] of right) expect(issueOf(amount, unit), unit).to.equal(undefined);
    const { outcome, request } = await submitted(authorised(), { money: { amount: '10.25', currency: 'CVE' } });
    expect(outcome).to.include({ nothingCharged: true, refusedField: 'amount' });
    expect(request).to.equal(undefined);
  });

  it('accepts only cards', () => {
    const { bounds } = adyen.manifest;
    expect(bounds?.['~standard'].validate({ amount: 1 })).not.to.have.property('issues');
    expect(bounds?.['~standard'].validate({ wallet: { walletType: 'applePay' } })).to.have.property('issues');
  });
});
