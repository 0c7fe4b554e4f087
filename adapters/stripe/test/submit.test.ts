// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
// cspell:ignore nchen
import { readPairs, type HttpRequest, type Submission } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Stripe } from 'stripe';
import { captureParams } from '../capture.ts';
import stripe from '../index.ts';
import { refundParams } from '../refund.ts';
import { sessionParams } from '../session.ts';
import { intentParams, methodParams } from '../submit.ts';
import { cancelParams } from '../void.ts';
import { toFields, type Params } from '../wire.ts';
import { harness, intent, PI, recordingSdk } from './messages.ts';

const { createContext, options, recordCall, submission, submissionBy, submit } = harness;

/** Our parameters are strings; the SDK's types also have numbers and booleans. An undefined parameter is left out. */
type Spelled<T> = T extends number | boolean
  ? string
  : T extends string
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Spelled<Item>[]
      : T extends object
        ? { readonly [K in keyof T]: Spelled<T[K]> | undefined }
        : T;

/** Fails to compile if the SDK's type lacks a parameter or has it in another form. */
function known<T>() {
  return <P extends Spelled<T>>(params: P & { readonly [K in Exclude<keyof P, keyof T>]: never }) =>
    params as unknown as T & Params;
}

const ctx = createContext();
const byToken = submissionBy('token', { token: 'pm_card_visa' });
const atPage = submissionBy('billing');
const demanded: Submission<'card'> = { ...submission, is3ds: true };

const typed = {
  method: known<Stripe.PaymentMethodCreateParams>()(methodParams(submission)),
  intent: known<Stripe.PaymentIntentCreateParams>()(intentParams(demanded, '2590', 'pm_1', ctx)),
  session: known<Stripe.Checkout.SessionCreateParams>()(sessionParams(demanded, '2590', ctx)),
  refund: known<Stripe.RefundCreateParams>()(refundParams(PI, '1000', 'GW-10042-1', 'GW-10042-1-R1')),
  capture: known<Stripe.PaymentIntentCaptureParams>()(captureParams('2000')),
  cancel: known<Stripe.PaymentIntentCancelParams>()(cancelParams),
};

describe('a request', () => {
  it('matches the official SDK’s types and the request that the SDK itself sends', async () => {
    const { sdk, sent } = recordingSdk();
    await sdk.paymentMethods.create(typed.method);
    await sdk.paymentIntents.create(typed.intent);
    await sdk.checkout.sessions.create(typed.session);
    await sdk.refunds.create(typed.refund);
    await sdk.paymentIntents.capture(PI, typed.capture);
    await sdk.paymentIntents.cancel(PI, typed.cancel);
    expect(sent.map(({ path }) => path)).to.deep.equal([
      '/v1/payment_methods',
      '/v1/payment_intents',
      '/v1/checkout/sessions',
      '/v1/refunds',
      `/v1/payment_intents/${PI}/capture`,
      `/v1/payment_intents/${PI}/cancel`,
    ]);
    expect(sent.map(({ body }) => readPairs(body))).to.deep.equal(
      Object.values(typed).map((params) => Object.entries(toFields(params))),
    );
    expect(new Set(sent.map(({ version }) => version))).to.deep.equal(new Set(['2026-08-26.dahlia']));
  });

  /** What is sent of a payer who differs from the sample like this. */
  const billing = (given: Partial<Submission<'card'>['payer']>): Readonly<Record<string, string>> => {
    const fields = toFields(methodParams({ ...submission, payer: { ...submission.payer, ...given } }));
    return Object.fromEntries(Object.entries(fields).filter(([name]) => name.startsWith('billing_details')));
  };

  it('contains no empty value', () => {
    const address = { address: '', city: ' ', state: '', postalCode: '', country: '' };
    const { email } = submission.payer;
    expect(billing({ name: '', phoneNumber: ' ', ...address })).to.deep.equal({ 'billing_details[email]': email });
  });

  it('contains only countries and e-mail addresses that Stripe accepts', () => {
    const country = 'billing_details[address][country]';
    expect(billing({ country: 'XK' })).to.include({ [country]: 'XK' });
    expect(billing({ country: '??' })).not.to.have.property(country);
    const email = 'billing_details[email]';
    expect(billing({ email: 'info@münchen.example' })).to.include({ [email]: 'info@xn--mnchen-3ya.example' });
    expect(billing({ email: 'δοκιμή@shop.example' })).not.to.have.property(email);
  });

  it('sends the page an e-mail address in ASCII, or none', () => {
    const sent = (email: string) =>
      sessionParams({ ...atPage, payer: { ...atPage.payer, email } }, '2590', ctx).customer_email;
    expect(sent('info@münchen.example')).to.equal('info@xn--mnchen-3ya.example');
    expect([sent('δοκιμή@shop.example'), sent('')]).to.deep.equal([undefined, undefined]);
  });

  it('leaves the methods of the page to the account, unless 3D Secure is demanded or only cards are wanted', () => {
    const methodsOf = (payment: Submission<'billing'>, given: Partial<typeof ctx.options> = {}) =>
      sessionParams(payment, '2590', { ...ctx, options: { ...ctx.options, ...given } }).payment_method_types;
    expect(methodsOf(atPage)).to.equal(undefined);
    expect(methodsOf({ ...atPage, is3ds: false })).to.equal(undefined);
    expect(methodsOf({ ...atPage, is3ds: true })).to.deep.equal(['card']);
    expect(methodsOf(atPage, { pageMethods: 'card' })).to.deep.equal(['card']);
  });

  it('contains the card number only in the PaymentMethod', async () => {
    const answers = [reply(200, { id: 'pm_1', object: 'payment_method' }), reply(200, intent())];
    const { requests } = await recordCall(answers, (given) => stripe.submit(submission, given));
    const texts = requests.map(({ path, body }: HttpRequest) => `${path} ${String(body)}`);
    expect(texts).to.have.length(2);
    expect(texts[0]).to.include(submission.card.number);
    expect(texts[1]).to.not.include(submission.card.number).and.not.include('737');
    expect(requests[0]?.chargesNothing).to.equal(true);
    expect(requests[1]?.chargesNothing).to.equal(undefined);
  });
});

describe('the choice between card number, PaymentMethod and Checkout', () => {
  it("depends on the merchant's body and on cardEntry", () => {
    const page = { ...options, cardEntry: 'page' as const };
    expect(stripe.methodOf!(submission, options)).to.equal('card');
    expect(stripe.methodOf!(submission, page)).to.equal('hosted_page');
    for (const given of [options, page]) {
      expect(stripe.methodOf!(byToken, given)).to.equal('card_token');
      expect(stripe.methodOf!(atPage, given)).to.equal('hosted_page');
    }
  });

  it('is refused before any request if the key belongs to the other side', async () => {
    for (const [secretKey, sandbox] of [
      ['sk_live_openTestKey21', true],
      ['rk_test_openTestKey21', false],
    ] as const) {
      const submitByToken = (given: typeof ctx) => stripe.submit(byToken, given);
      const { result, requests } = await recordCall([], submitByToken, { options: { secretKey }, sandbox });
      expect(result).to.include({ nothingCharged: true, misconfigured: true });
      expect(requests).to.deep.equal([]);
    }
  });
});

describe('an answer', () => {
  const answers = async (status: number, body: unknown) => submit(reply(status, body), byToken);

  it('is unknown if it is about different money or another payment', async () => {
    for (const other of [
      { amount_received: 2580 },
      { currency: 'usd' },
      { metadata: {} },
      { metadata: { gateway_reference: 'GW-10042-2' } },
    ]) {
      expect((await answers(200, intent(other))).outcome, JSON.stringify(other)).to.equal('unknown');
    }
  });

  it("is unknown if a 402 does not show this payment's PaymentIntent as declined", async () => {
    const error = { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline', message: 'declined' };
    const declined = intent({ status: 'requires_payment_method', amount_received: 0, last_payment_error: error });
    expect(await answers(402, { error: { ...error, payment_intent: declined } })).to.include({ decline: '05' });
    expect((await answers(402, { error })).outcome).to.equal('unknown');
    expect((await answers(402, { error: { ...error, payment_intent: intent() } })).outcome).to.equal('unknown');
    const another = { ...declined, metadata: { gateway_reference: 'GW-1-1' } };
    expect((await answers(402, { error: { ...error, payment_intent: another } })).outcome).to.equal('unknown');
  });
});

describe('an account that may not send card numbers', () => {
  for (const [name, error] of [
    ['without a code', {}],
    ['because it is not verified', { code: 'validation_error', message: 'verify a phone number first' }],
  ] as const) {
    it(`is misconfigured, and nothing was charged: ${name}`, async () => {
      const refusal = reply(400, { error: { type: 'invalid_request_error', ...error } });
      expect(await submit(refusal)).to.include({ outcome: 'failed', nothingCharged: true, misconfigured: true });
    });
  }

  it('is misconfigured in an answer to any other call too', async () => {
    const refusal = reply(400, { error: { type: 'invalid_request_error', code: 'validation_error' } });
    for (const given of [byToken, atPage]) expect(await submit(refusal, given)).to.include({ misconfigured: true });
  });

  it('is not the reason if Stripe refuses a parameter', async () => {
    const error = { type: 'invalid_request_error', code: 'validation_error', param: 'billing_details[email]' };
    const outcome = await submit(reply(400, { error }));
    expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
    expect(outcome).to.not.have.property('misconfigured');
  });
});

describe('a card that Stripe refuses before any bank sees it', () => {
  for (const [code, field] of [
    ['invalid_number', 'number'],
    ['invalid_expiry_year', 'expiration'],
    ['invalid_cvc', 'cvv'],
  ] as const) {
    it(`names ${field} for ${code}`, async () => {
      const refusal = reply(402, { error: { type: 'card_error', code, param: 'number', message: 'for people' } });
      expect(await submit(refusal)).to.include({ outcome: 'failed', nothingCharged: true, refusedField: field });
    });
  }
});
