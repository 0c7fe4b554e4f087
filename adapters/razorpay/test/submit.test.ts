// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
// cspell:ignore meera nchen
import { refuseSubmission, v, type HttpReply, type JsonNumber, type Submission } from '@paywright/contract';
import { noAnswer, reply, scriptedHttp, claimOf } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Orders } from 'razorpay/dist/types/orders.js';
import type { PaymentLinks } from 'razorpay/dist/types/paymentLink.js';
import type { Payments } from 'razorpay/dist/types/payments.js';
import type { Refunds } from 'razorpay/dist/types/refunds.js';
import razorpay from '../index.ts';
import type { Options } from '../options.ts';
import { refundMessage } from '../refund.ts';
import { linkMessage, methodOf, orderMessage, paymentMessage } from '../submit.ts';
import { harness, link, order, refusal } from './messages.ts';

const { submissionBy, now, options, submission, createContext } = harness;

/** A message in the form in which its JSON is read. */
type Sent<T> = T extends JsonNumber ? number : T extends object ? { [K in keyof T]: Sent<T[K]> } : T;

/** Compiles if Razorpay's own SDK accepts our messages. */
export const taken = {
  order: (message: Sent<ReturnType<typeof orderMessage>>): Orders.RazorpayOrderCreateRequestBody => message,
  payment: (message: Sent<ReturnType<typeof paymentMessage>>): Payments.RazorpayPaymentUpiCreateRequestBody => message,
  link: (message: Sent<ReturnType<typeof linkMessage>>): PaymentLinks.RazorpayPaymentLinkCreateRequestBody => message,
  refund: (message: Sent<ReturnType<typeof refundMessage>>): Refunds.RazorpayRefundCreateRequestBody => message,
};

/** Returns the requests. Requests after the last of `answers` get no answer. */
async function asked(payment: Submission, answers: readonly HttpReply[] = [], own: Options = options) {
  const http = scriptedHttp((_request, at) => answers[at] ?? noAnswer());
  const ctx = createContext([], { options: own, http });
  const outcome = await razorpay.submit(payment, ctx).catch(() => undefined);
  const messages = http.requests.map(
    ({ body = '' }) => JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>,
  );
  return { outcome, requests: http.requests, messages };
}

const pageSubmission = submissionBy('billing');
const made = reply(200, order([]));
const upi = (upiId: string) => ({ ...submission, upiId });

describe('a request to Razorpay', () => {
  for (const [upiId, method, said] of [
    ['asha@okbank', 'upi_collect', { flow: 'collect', vpa: 'asha@okbank', expiry_time: 10 }],
    ['Intent@GW', 'upi_intent', { flow: 'intent' }],
    ['qr@gw', 'upi_qr', { flow: 'intent' }],
    ['qr@gwx', 'upi_collect', { flow: 'collect', vpa: 'qr@gwx', expiry_time: 10 }],
  ] as const) {
    it(`pays ${upiId} by ${method}: an order, then its payment`, async () => {
      const { requests, messages } = await asked(upi(upiId), [made]);
      expect(requests.map(({ path }) => path)).to.deep.equal(['/v1/orders', '/v1/payments/create/json']);
      expect(requests.map(({ chargesNothing }) => chargesNothing)).to.deep.equal([true, undefined]);
      expect(messages[0]).to.deep.include({ amount: 2590, currency: 'INR', receipt: 'GW-10042-1' });
      expect(messages[1]).to.deep.include({ amount: 2590, order_id: 'order_1', upi: said });
      expect(methodOf(upi(upiId))).to.equal(method);
    });
  }

  it('captures automatically within the time of the options, and refunds later confirmations', async () => {
    const { messages } = await asked(submission, [made], { ...options, captureMinutes: 90 });
    const times = { automatic_expiry_period: 90, manual_expiry_period: 90, refund_speed: 'normal' };
    expect(messages[0]!['payment']).to.deep.equal({ capture: 'automatic', capture_options: times });
  });

  it('contains the known data of the payer', async () => {
    const payer = { ...submission.payer, ipAddress: '203.0.113.7' };
    const known = { ...submission, payer, browserInfo: { userAgent: 'Mozilla/5.0' } };
    expect((await asked(known, [made])).messages[1]).to.include({ ip: '203.0.113.7', user_agent: 'Mozilla/5.0' });
    expect((await asked(submission, [made])).messages[1]).to.include({ ip: '0.0.0.0', user_agent: 'unknown' });
  });

  it('creates a payment link that expires in time, notifies no payer, and leads back', async () => {
    const { requests, messages } = await asked(pageSubmission, [], { ...options, pageMinutes: 30 });
    expect(requests.map(({ path }) => path)).to.deep.equal(['/v1/payment_links']);
    expect(messages[0]).to.deep.include({
      amount: 2590,
      expire_by: now.getTime() / 1000 + 1800,
      reference_id: 'GW-10042-1',
      notify: { sms: false, email: false },
      notes: { gateway_page: 'GW-10042-1' },
      callback_url: 'https://gateway.example/pay/10042',
      callback_method: 'get',
    });
  });

  for (const [amount, currency, minor] of [
    ['0.01', 'INR', 1],
    ['2590', 'JPY', 2590],
    ['99.99', 'KWD', 99990],
    ['1234567890123.45', 'USD', 123456789012345],
  ] as const) {
    it(`writes ${amount} ${currency} as ${minor}`, async () => {
      const { messages } = await asked({ ...pageSubmission, money: { amount, currency }, unit: currency });
      expect(messages[0]).to.include({ amount: minor, currency });
    });
  }

  it('is not sent for amounts that Razorpay refuses', async () => {
    const kwd = { amount: '99.991', currency: 'KWD' };
    for (const payment of [
      { ...pageSubmission, money: kwd },
      { ...submission, money: { amount: '1', currency: 'USD' } },
    ]) {
      const { outcome, requests } = await asked(payment);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(requests).to.have.length(0);
    }
    const money = { amount: '0.001', currency: 'INR' };
    expect(refuseSubmission(razorpay.manifest, { money })).to.include({ nothingCharged: true });
  });

  for (const [given, sent] of [
    ['+919638544240', '+919638544240'],
    ['+91 96385-44240', '+919638544240'],
    ['(963)8544240', '+919638544240'],
    ['09638544240', '+919638544240'],
    ['00351912345678', '+351912345678'],
    ['351912345678', '+351912345678'],
    ['0963854424', undefined],
    ['none given', undefined],
    ['', undefined],
  ] as const) {
    it(`writes the phone number ${given || 'that is blank'} as ${sent ?? 'none'}`, async () => {
      const payer = { ...submission.payer, phoneNumber: given };
      const page = await asked({ ...pageSubmission, payer });
      expect((page.messages[0]!['customer'] as { contact?: string }).contact).to.equal(sent);
      const { outcome, messages } = await asked({ ...submission, payer }, [made]);
      if (sent) expect(messages[1]).to.include({ contact: sent });
      else expect(outcome).to.include({ nothingCharged: true, refusedField: 'phoneNumber' });
    });
  }

  for (const [given, sent] of [
    ['Rao, Meera', 'Rao Meera'],
    ['Bo', undefined],
    ['x'.repeat(60), 'x'.repeat(50)],
    ['मीरा राव', undefined],
    [' ', undefined],
  ] as const) {
    it(`writes the name ${given.slice(0, 20)} as ${sent?.slice(0, 20) ?? 'none'}`, async () => {
      const { messages } = await asked({ ...pageSubmission, payer: { ...submission.payer, name: given } });
      expect((messages[0]!['customer'] as { name?: string }).name).to.equal(sent);
    });
  }

  it('sends an e-mail address of at most 64 ASCII characters, or none', async () => {
    const sent = async (email: string) => {
      const { messages } = await asked({ ...pageSubmission, payer: { ...submission.payer, email } });
      return (messages[0]!['customer'] as { email?: string }).email;
    };
    expect(await sent('info@münchen.example')).to.equal('info@xn--mnchen-3ya.example');
    expect(await sent(`${'a'.repeat(60)}@b.example`)).to.equal(undefined);
    const payer = { ...submission.payer, email: 'δοκιμή@shop.example' };
    expect((await asked({ ...submission, payer })).outcome).to.include({ refusedField: 'email' });
  });

  it('is preceded by a check in core of what UPI requires of the payer', () => {
    const issue = (body: object) => {
      const { issues } = v.safeParse(razorpay.manifest.bounds!, { amount: 1, unit: 'INR', ...body });
      return issues && v.getDotPath(issues[0]);
    };
    expect(issue({ upiId: 'a@b', phoneNumber: 'none given' })).to.equal('phoneNumber');
    expect(issue({ upiId: 'a@b', email: 'δοκιμή@shop.example' })).to.equal('email');
    expect(issue({ phoneNumber: 'none given', email: 'δοκιμή@shop.example' })).to.equal(undefined);
    expect(issue({ upiId: 'a@b', phoneNumber: '(963)8544240', email: 'a@b.example' })).to.equal(undefined);
  });

  it('is preceded by a check in core that names the field', () => {
    const issue = (body: unknown) => {
      const { issues } = v.safeParse(razorpay.manifest.bounds!, body);
      return issues && v.getDotPath(issues[0]);
    };
    expect(issue({ upiId: 'a@b', amount: 1, unit: 'USD' })).to.equal('unit');
    expect(issue({ amount: 99.991, unit: 'KWD' })).to.equal('amount');
    for (const body of [
      { upiId: 'a@b', amount: 1, unit: 'INR' },
      { amount: 99.99, unit: 'KWD' },
      { unit: 'USD' },
      {},
    ]) {
      expect(issue(body), JSON.stringify(body)).to.equal(undefined);
    }
  });
});

describe('a refusal of a field', () => {
  for (const [members, field] of [
    [{ field: 'contact' }, 'phoneNumber'],
    [{ field: 'customer.name' }, 'name'],
    [{ field: 'vpa' }, 'upiId'],
    [{ field: 'notes' }, 'body'],
    [{ description: 'The contact may not be greater than 15 characters.' }, 'phoneNumber'],
    [{ description: 'The amount must be atleast INR 1.00' }, 'amount'],
    [{ reason: 'invalid_mobile_number' }, 'phoneNumber'],
  ] as const) {
    it(`names ${field} for ${JSON.stringify(members)}`, async () => {
      const { outcome } = await asked(pageSubmission, [refusal(400, members)]);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true, refusedField: field });
    });
  }

  it('is kept from the order to the payment', async () => {
    const { outcome } = await asked(submission, [refusal(400, { field: 'amount' })]);
    expect(outcome).to.include({ nothingCharged: true, refusedField: 'amount' });
  });

  it('is not read from an answer about a payment', async () => {
    const { outcome } = await asked(submission, [
      made,
      refusal(400, { field: 'contact', metadata: { payment_id: 'pay_1' } }),
    ]);
    expect(outcome).not.to.have.property('refusedField');
  });
});

const submitUpi = (second: HttpReply, upiId = 'asha@okbank') => harness.submit([made, second], upi(upiId));
const submitPage = (first: HttpReply) => harness.submit(first, pageSubmission);

describe('an answer to a UPI payment', () => {
  const providerReference = 'pay_1';
  const expiry = '2026-03-02T09:25:30Z';
  const url = 'upi://pay?pa=upi@razorpay&am=25.90';
  const poll = { action: 'poll', url: 'https://api.razorpay.com/v1/payments/pay_1' };
  const answer = (...next: unknown[]) => reply(200, { razorpay_payment_id: providerReference, next });

  for (const [upiId, next, action] of [
    ['asha@okbank', [poll], { type: 'upi', mode: 'collect', expiry }],
    ['intent@gw', [{ action: 'intent', url }, poll], { type: 'upi', mode: 'intent', link: url, expiry }],
    ['qr@gw', [poll, { action: 'intent', url }], { type: 'upi', mode: 'qr', text: url, expiry }],
  ] as const) {
    it(`gives ${upiId} an action`, async () => {
      const outcome = await submitUpi(answer(...next), upiId);
      expect(outcome).to.deep.equal({ outcome: 'pending', providerReference, action });
    });
  }

  for (const [name, given, upiId] of [
    ['no link for an intent', answer(poll), 'intent@gw'],
    ['a link that no payer’s app can open', answer({ action: 'intent', url: 'javascript:alert(1)' }), 'qr@gw'],
    ['no payment', reply(200, { next: [poll] }), 'asha@okbank'],
    ['an empty id', reply(200, { razorpay_payment_id: '', next: [poll] }), 'asha@okbank'],
    ['no next step', reply(200, { razorpay_payment_id: 'pay_1' }), 'asha@okbank'],
    ['a page', reply(200, '<html>'), 'asha@okbank'],
    ['201', reply(201, { razorpay_payment_id: 'pay_1', next: [poll] }), 'asha@okbank'],
  ] as const) {
    it(`is unknown: ${name}`, async () => expect(claimOf(await submitUpi(given, upiId))).to.equal('unknown'));
  }

  const failedPayment = { metadata: { payment_id: 'pay_1' } };
  for (const [name, given, claim] of [
    ['a payment that failed', refusal(400, { ...failedPayment, reason: 'insufficient_funds' }), 'declined 51'],
    ['a payment that failed for an unknown reason', refusal(400, { ...failedPayment, reason: 'moon' }), 'declined 05'],
    ['a payment that may still be paid', refusal(400, { ...failedPayment, reason: 'payment_timed_out' }), 'unknown'],
    ['a payment that was paid earlier', refusal(400, { reason: 'order_already_paid' }), 'unknown'],
    ['a refused request', refusal(400), 'nothing charged'],
    ['a refused field', refusal(400, { reason: 'invalid_mobile_number' }), 'nothing charged'],
    ['UPI is not enabled', refusal(400, { ...failedPayment, reason: 'upi_intent_not_enabled' }), 'misconfigured'],
    ['the account is not activated', refusal(400, { reason: 'merchant_not_activated' }), 'misconfigured'],
    ['a wrong key', refusal(401), 'misconfigured'],
    ['a wrong key, with status 400', refusal(400, { description: 'The api key provided is invalid' }), 'misconfigured'],
    ['429', reply(429), 'nothing charged'],
    ['an error on the bank’s side', refusal(400, { code: 'GATEWAY_ERROR', ...failedPayment }), 'unknown'],
    ['a server error', refusal(500, { code: 'SERVER_ERROR' }), 'unknown'],
    ['502', refusal(502), 'unknown'],
    ['a 401 that is not Razorpay’s', reply(401, '<html>'), 'unknown'],
    ['a 400 that is not Razorpay’s', reply(400, '<html>'), 'unknown'],
  ] as const) {
    it(`is ${claim}, and repeats no text: ${name}`, async () => {
      const outcome = await submitUpi(given);
      expect(claimOf(outcome)).to.equal(claim);
      expect(JSON.stringify(outcome)).to.not.contain('asha');
    });
  }

  for (const [name, given, claim] of [
    ['a server error', refusal(500, { code: 'SERVER_ERROR' }), 'nothing charged'],
    ['a page', reply(200, '<html>'), 'nothing charged'],
    ['an order of another amount', reply(200, order([], { amount: 2591 })), 'nothing charged'],
    ['an order of another currency', reply(200, order([], { currency: 'USD' })), 'nothing charged'],
    ['an order of another receipt', reply(200, order([], { receipt: 'GW-10042-2' })), 'nothing charged'],
    ['a wrong key', refusal(401), 'misconfigured'],
  ] as const) {
    it(`leads to no payment: ${name} instead of an order`, async () => {
      const http = scriptedHttp([given]);
      const outcome = await razorpay.submit(submission, createContext([], { http }));
      expect(claimOf(outcome)).to.equal(claim);
      expect(http.requests).to.have.length(1);
    });
  }
});

describe('an answer to a payment link', () => {
  it('sends the payer to its page', async () => {
    const action = { type: 'redirect', method: 'GET', url: 'https://rzp.io/i/1' };
    expect(await submitPage(reply(200, link('created')))).to.deep.equal({
      outcome: 'pending',
      providerReference: 'plink_1',
      action,
    });
  });

  for (const [name, given, claim] of [
    ['a link that is paid', reply(200, link('paid')), 'succeeded'],
    ['a link that has expired', reply(200, link('expired')), 'declined 05'],
    ['an unknown status', reply(200, link('odd')), 'pending'],
    [
      'a link made earlier',
      refusal(400, { description: 'payment link creation with reference ID already attempted' }),
      'unknown',
    ],
    ['a refused request', refusal(400), 'nothing charged'],
    ['no page', reply(200, link('created', { short_url: undefined })), 'unknown'],
    ['a page without a web address', reply(200, link('created', { short_url: 'javascript:1' })), 'unknown'],
    ['another amount', reply(200, link('created', { amount: 2591 })), 'unknown'],
    ['another currency', reply(200, link('created', { currency: 'USD' })), 'unknown'],
    ['another reference', reply(200, link('created', { reference_id: 'GW-10042-2' })), 'unknown'],
    ['an amount as a string', reply(200, link('created', { amount: '2590' })), 'unknown'],
    ['an HTML page of a proxy', reply(502, '<html>'), 'unknown'],
  ] as const) {
    it(`is ${claim}: ${name}`, async () => expect(claimOf(await submitPage(given))).to.equal(claim));
  }
});
