import type { AdapterContext, HttpReply } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import razorpay from '../index.ts';
import type { Options } from '../options.ts';
import { webhookEvents } from '../statuses.ts';
import { harness, refusal } from './messages.ts';

const { options, recordCall } = harness;

const url = 'https://gateway.example/callbacks/razorpay';
const keyTaken = reply(200, { entity: 'collection', count: 0, items: [] });
const upi = (enabled: boolean) => reply(200, { entity: 'methods', upi: enabled });
const webhook = (members: Readonly<Record<string, unknown>> = {}) => ({
  url,
  active: true,
  events: webhookEvents,
  ...members,
});
const webhooks = (...items: unknown[]) => reply(200, { entity: 'collection', count: items.length, items });

async function check(answers: readonly HttpReply[], { sandbox = true, keyId = options.keyId } = {}) {
  const call = (ctx: AdapterContext<Options>) => razorpay.checkAccount!(ctx);
  const { result: findings, requests } = await recordCall(answers, call, { options: { keyId }, sandbox });
  const text = JSON.stringify(findings);
  expect(text).not.to.contain(options.keySecret);
  return { findings, bad: findings.filter(({ ok }) => !ok).map(({ finding }) => finding), requests };
}

describe('checkAccount', () => {
  it('accepts a correct account', async () => {
    const { bad, findings, requests } = await check([keyTaken, upi(true), webhooks(webhook())]);
    expect([bad, findings.length]).to.deep.equal([[], 4]);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'GET /v1/payments?count=1',
      'GET /v1/methods',
      'GET /v1/webhooks?count=100',
    ]);
  });

  it('requests the methods with the id of the key only', async () => {
    const { requests } = await check([keyTaken, upi(true), webhooks(webhook())]);
    const sent = Buffer.from(requests[1]!.headers!['Authorization']!.slice('Basic '.length), 'base64').toString();
    expect(sent).to.equal(`${options.keyId}:`);
  });

  for (const [sandbox, keyId, bad] of [
    [true, 'rzp_test_1', []],
    [false, 'rzp_live_1', []],
    [true, 'rzp_live_1', ['keyId belongs to the live mode, but is used for test payments']],
    [false, 'rzp_test_1', ['keyId belongs to the test mode, but is used for live payments']],
  ] as const) {
    it(`${bad.length ? 'refuses' : 'accepts'} the key ${keyId} for ${sandbox ? 'test' : 'live'} payments`, async () => {
      expect((await check([keyTaken, upi(true), webhooks(webhook())], { sandbox, keyId })).bad).to.deep.equal(bad);
    });
  }

  it('sends no further request with a refused key', async () => {
    const { bad, requests } = await check([refusal(401)]);
    expect(bad).to.deep.equal(['Razorpay answered 401 BAD_REQUEST_ERROR']);
    expect(requests).to.have.length(1);
  });

  for (const [name, answers, bad] of [
    ['UPI that is not enabled', [upi(false), webhooks(webhook())], ['UPI is not enabled']],
    ['no webhook', [upi(true), webhooks()], [`no active webhook for ${url}`]],
    [
      'a webhook for another address',
      [upi(true), webhooks(webhook({ url: 'https://shop.example' }))],
      [`no active webhook for ${url}`],
    ],
    ['a disabled webhook', [upi(true), webhooks(webhook({ active: false }))], [`no active webhook for ${url}`]],
    [
      'missing events',
      [upi(true), webhooks(webhook({ events: webhookEvents.filter((event) => !event.startsWith('refund.')) }))],
      ['the webhook lacks refund.created, refund.processed, refund.failed'],
    ],
    ['nothing if Razorpay does not answer the question', [reply(404, ''), reply(400, '')], []],
  ] as const) {
    it(`finds ${name}`, async () => expect((await check([keyTaken, ...answers])).bad).to.deep.equal(bad));
  }
});
