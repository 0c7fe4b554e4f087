import { reply } from '@paywright/contract/testing';
import type { MollieClient, PaymentCreateParams, PaymentRefundCreateParams } from '@mollie/api-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { captureMessage } from '../capture.ts';
import mollie from '../index.ts';
import type { Options } from '../options.ts';
import type { refundMessage } from '../refund.ts';
import { paymentMessage } from '../submit.ts';
import { harness, refusal } from './messages.ts';

const { submission, createContext, recordCall, submit } = harness;

/** The SDK's parameters, with the values of its enumerations instead of their names. */
type Plain<T> = T extends string ? `${T}` : T extends object ? { readonly [K in keyof T]: Plain<T[K]> } : T;
type CaptureCreateParams = Parameters<MollieClient['paymentCaptures']['create']>[0];

/** Compiles if Mollie's own SDK accepts our messages. */
export const taken = {
  payment: (message: ReturnType<typeof paymentMessage>): Plain<PaymentCreateParams> => message,
  refund: (message: ReturnType<typeof refundMessage>): Plain<Omit<PaymentRefundCreateParams, 'paymentId'>> => message,
  capture: (message: ReturnType<typeof captureMessage>): Plain<Omit<CaptureCreateParams, 'paymentId'>> => message,
};

const message = (own: Partial<Options> = {}, money = submission.money) =>
  paymentMessage({ ...submission, money }, createContext([], { options: own }));

describe('a request to Mollie', () => {
  it('creates a payment under our reference, with a return address and a webhook', () => {
    expect(message()).to.deep.equal({
      amount: { currency: 'EUR', value: '25.90' },
      description: 'GW-10042-1',
      redirectUrl: 'https://gateway.example/pay/10042',
      cancelUrl: 'https://gateway.example/pay/10042?cancelled=1',
      webhookUrl: 'https://gateway.example/callbacks/mollie',
      metadata: { gateway_reference: 'GW-10042-1' },
    });
  });

  it('contains no data of the payer', () => {
    const text = JSON.stringify(message());
    for (const value of Object.values(submission.payer)) if (value) expect(text).to.not.contain(value);
  });

  it('is limited to the methods of the options, and captures later if the options say so', () => {
    expect(message({ methods: ['ideal'], captureMode: 'manual' })).to.include({ captureMode: 'manual' });
    expect(message({ methods: ['ideal'] }).method).to.deep.equal(['ideal']);
  });

  for (const [amount, currency, value] of [
    ['0.5', 'EUR', '0.50'],
    ['1234567.8', 'USD', '1234567.80'],
    ['2590', 'JPY', '2590'],
    ['500', 'ISK', '500'],
    ['0.07', 'CHF', '0.07'],
  ] as const) {
    it(`writes ${amount} ${currency} as ${value}`, () => {
      expect(message({}, { amount, currency }).amount).to.deep.equal({ currency, value });
    });
  }
});

describe('a payment whose page the payer cannot have seen', () => {
  for (const [name, answer] of [
    ['a refusal', refusal(422, { field: 'amount' })],
    ['an error', refusal(500)],
    ['an HTML page of a proxy', reply(502, '<html>')],
    ['a body that is not Mollie’s', reply(400, '{}')],
  ] as const) {
    it(`charged nothing after ${name}`, async () => {
      expect(await submit(answer)).to.include({ outcome: 'failed', nothingCharged: true });
    });
  }

  it('is requested with a call that charges nothing', async () => {
    const { requests } = await recordCall([null], (ctx) => mollie.submit(submission, ctx).catch(() => undefined));
    expect(requests[0]).to.include({ chargesNothing: true, path: '/v2/payments' });
    expect(requests[0]!.headers).to.include({ 'Idempotency-Key': 'GW-10042-1' });
  });

  it('shows no text that Mollie wrote about it', async () => {
    const outcome = await submit(refusal(422, { field: 'amount', detail: 'Ines Duarte may not' }));
    expect(JSON.stringify(outcome)).to.not.contain('Ines');
  });
});

describe('a refusal of a field', () => {
  for (const [name, field] of [
    ['amount', 'amount'],
    ['amount.currency', 'unit'],
    ['method', 'body'],
  ] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(422, { status: 422, title: 'Unprocessable Entity', detail: 'for people', field: name });
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
