import type { Types } from '@adyen/api-library';
import type { HttpReply, Outcome } from '@paywright/contract';
import { firstRefund, firstVoid, reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { capture } from '../capture.ts';
import { modificationRequest } from '../modification.ts';
import { refund } from '../refund.ts';
import { void as release } from '../void.ts';
import { harness, answered, error, psp } from './messages.ts';

const { createContext, options, stored, unanswered } = harness;

type Checkout = typeof Types.checkout;
const money = { amount: '10', currency: 'EUR' };
const tenEuro = { value: 1000, currency: 'EUR' };
const calls = {
  refunds: [
    'GW-10042-1-R1',
    (ctx: Parameters<typeof refund>[2]) => refund(stored, { reference: 'GW-10042-1-R1', money, ...firstRefund }, ctx),
  ],
  captures: [
    'GW-10042-1-C',
    (ctx: Parameters<typeof refund>[2]) => capture(stored, { reference: 'GW-10042-1-C', money }, ctx),
  ],
  cancels: ['GW-10042-1-V', (ctx: Parameters<typeof refund>[2]) => release(stored, ctx, firstVoid)],
} as const;

describe('a modification request', () => {
  it('has the form of Adyen’s library', () => {
    const asked = { what: 'refunds', pspReference: psp, reference: 'GW-10042-1-R1', money } as const;
    const body = modificationRequest(asked, options)!;
    const refunds: InstanceType<Checkout['PaymentRefundRequest']> = { amount: tenEuro, ...body };
    const captures: InstanceType<Checkout['PaymentCaptureRequest']> = { amount: tenEuro, ...body };
    const { money: _, ...all } = asked;
    const cancels: InstanceType<Checkout['PaymentCancelRequest']> = modificationRequest(all, options)!;
    expect([refunds, captures]).to.deep.equal([body, body]);
    expect(cancels).to.deep.equal({ merchantAccount: options.merchantAccount, reference: 'GW-10042-1-R1' });
  });

  for (const what of ['refunds', 'captures', 'cancels'] as const) {
    const [reference, call] = calls[what];
    const received = (more: object = {}): HttpReply => {
      const names = { merchantAccount: options.merchantAccount, paymentPspReference: psp, reference };
      const amount = what === 'cancels' ? {} : { amount: tenEuro };
      return reply(201, { ...names, pspReference: 'B3JCV8GNTWWPZ7T5', status: 'received', ...amount, ...more });
    };
    const asked = async (answer: HttpReply): Promise<Outcome> => (await answered(answer, call)).outcome;

    it(`sends ${what} under their own reference and key, and treats them as received only`, async () => {
      const { outcome, request, body } = await answered(received(), call);
      expect([request?.path, request?.headers?.['Idempotency-Key']]).to.deep.equal([
        `/payments/${psp}/${what}`,
        reference,
      ]);
      expect(body).to.include({ merchantAccount: options.merchantAccount, reference });
      expect(outcome).to.deep.equal({ outcome: 'pending', providerReference: 'B3JCV8GNTWWPZ7T5' });
    });

    it(`does not believe an answer about other ${what}`, async () => {
      const others = [{ merchantAccount: 'Other' }, { paymentPspReference: 'OTHER' }, { reference: 'GW-1-1-R1' }];
      const wrong = what === 'cancels' ? others : [...others, { amount: { value: 999, currency: 'EUR' } }];
      for (const more of wrong) expect((await asked(received(more))).outcome, JSON.stringify(more)).to.equal('unknown');
    });

    it(`treats a refusal of ${what} as certain, and a fault as unknown`, async () => {
      expect(await asked(error(422, '137', 'validation'))).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await asked(error(409, '704', 'validation'))).outcome).to.equal('unknown');
      expect((await asked(error(500, '', 'internal'))).outcome).to.equal('unknown');
      expect(await asked(received({ status: 'new' }))).to.include({ outcome: 'pending', unknownStatus: 'new' });
    });
  }

  it('is refused before any request if Adyen’s reference of the payment is unknown', async () => {
    const asked = [
      capture(unanswered, { reference: 'GW-10042-1-C', money }, createContext()),
      release(unanswered, createContext(), firstVoid),
    ];
    for (const outcome of await Promise.all(asked)) expect(outcome).to.include({ nothingCharged: true });
  });

  it('is refused before any request if Adyen has fewer decimals than the amount', async () => {
    const rupiah = { reference: 'GW-10042-1-R1', money: { amount: '10.5', currency: 'IDR' }, ...firstRefund };
    expect(await refund(stored, rupiah, createContext())).to.include({ nothingCharged: true });
  });
});
