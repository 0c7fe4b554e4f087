/** What the tests of this adapter share: options, signed webhooks, calls that are answered by script, the payer. */
import {
  v,
  type Action,
  type AdapterContext,
  type HttpReply,
  type Outcome,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import {
  playCallback,
  reply,
  sampleStored,
  sampleSubmission,
  scriptedHttp,
  scriptedProvider,
  type CoreSays,
  type PlayedCallback,
} from '@paywright/contract/testing';
import { callback } from '../callbacks/razorpay.ts';
import razorpay from '../index.ts';
import { Options } from '../options.ts';
import { signatureOf } from '../wire.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://api.razorpay.com',
  sandboxBaseUrl: 'https://api.razorpay.com',
  accountId: 'acc_BFQ7uQEaa7j2z7',
  keyId: 'rzp_test_8K2fQxVb7Lw3Rn',
  keySecret: 'key-secret',
  webhookSecrets: ['webhook-secret-nëw', 'webhook-secret-old'],
});

export const now = new Date('2026-03-02T09:15:30.000Z');

const { card: _card, input: _input, ...cardless } = sampleSubmission;
const facts = { ...cardless, money: { amount: '25.9', currency: 'INR' }, unit: 'INR' };
export const pageSubmission: Submission<'billing'> = { ...facts, input: 'billing' };
export const upiSubmission: Submission<'upi'> = { ...facts, input: 'upi', upiId: 'asha@okbank' };

const sample = { ...sampleStored('pay_1', now), money: facts.money, unit: 'INR' };
export const upiStored: StoredPayment = { ...sample, method: 'upi_collect' };
export const pageStored: StoredPayment = { ...sample, method: 'hosted_page', providerReference: 'plink_1' };

/** Members of a message; undefined leaves one out. */
export type Members = Readonly<Record<string, unknown>>;

export function payment(status: string, members: Members = {}): Members {
  return {
    id: 'pay_1',
    amount: 2590,
    currency: 'INR',
    status,
    captured: status === 'captured',
    notes: { gateway_payment: 'GW-10042-1' },
    ...members,
  };
}

export function order(payments: readonly Members[], members: Members = {}): Members {
  return {
    id: 'order_1',
    amount: 2590,
    currency: 'INR',
    receipt: 'GW-10042-1',
    payments: { items: payments },
    ...members,
  };
}

export function link(status: string, members: Members = {}): Members {
  return {
    id: 'plink_1',
    amount: 2590,
    amount_paid: status === 'paid' ? 2590 : 0,
    currency: 'INR',
    reference_id: 'GW-10042-1',
    status,
    short_url: 'https://rzp.io/i/1',
    notes: { gateway_page: 'GW-10042-1' },
    payments: status === 'paid' ? [{ payment_id: 'pay_1', status: 'captured' }] : null,
    ...members,
  };
}

export function refundOf(status: string, members: Members = {}): Members {
  return { id: 'rfnd_1', payment_id: 'pay_1', amount: 1000, currency: 'INR', status, ...members };
}

export function refusal(status: number, members: Members = {}): HttpReply {
  const error = {
    code: 'BAD_REQUEST_ERROR',
    description: 'asha@okbank',
    reason: 'input_validation_failed',
    metadata: {},
  };
  return reply(status, { error: { ...error, ...members } });
}

export interface Sent {
  readonly event?: string;
  /** Entities by name. */
  readonly payload?: Members;
  readonly accountId?: string;
  /** The body, where it is no event of these. */
  readonly body?: string;
  readonly secret?: string;
  /** Values of `X-Razorpay-Signature`, made of the right hex. */
  readonly signature?: (hex: string) => readonly string[];
}

/** The body of a webhook, as Razorpay writes it. */
export function bodyOf({
  event = 'payment.captured',
  payload = { payment: payment('captured') },
  accountId,
}: Sent): string {
  const entities = Object.fromEntries(Object.entries(payload).map(([name, entity]) => [name, { entity }]));
  return JSON.stringify({
    entity: 'event',
    account_id: accountId ?? options.accountId,
    event,
    contains: Object.keys(payload),
    payload: entities,
    created_at: 1772442930,
  });
}

/** Delivers a webhook; `coreSays` is what core decides once it is read. */
export function deliver(sent: Sent, coreSays: CoreSays = 'accepted'): Promise<PlayedCallback> {
  const { secret = options.webhookSecrets[0]!, signature = (hex) => [hex] } = sent;
  const body = Buffer.from(sent.body ?? bodyOf(sent));
  const raw = {
    method: 'POST',
    path: '/callbacks/razorpay',
    query: '',
    headers: signature(signatureOf(secret, body).toString('hex')).map(
      (value) => ['X-Razorpay-Signature', value] as const,
    ),
    body,
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(razorpay, callback, raw, scriptedProvider({ options, now }), coreSays);
}

/** Makes a call that the given answers answer, one after the other. */
export function answered<T>(
  given: readonly HttpReply[],
  call: (ctx: AdapterContext<Options>) => Promise<T>,
  own: Options = options,
): Promise<T> {
  return call(scriptedProvider({ options: own, now, http: scriptedHttp(given) }));
}

/** What an outcome claims. */
export function claimOf(outcome: Outcome): string {
  if (outcome.outcome !== 'failed') return outcome.outcome;
  if (outcome.misconfigured) return 'misconfigured';
  return outcome.nothingCharged ? 'nothing charged' : `declined ${outcome.decline}`;
}

/** Presses a button of the page that the action leads to. */
export async function press(action: Action, act: string): Promise<void> {
  if (action.type !== 'redirect') throw new TypeError('the payer is sent to no page');
  await sendRequest({ method: 'POST', url: action.url, body: `act=${act}` }, 5_000);
}
