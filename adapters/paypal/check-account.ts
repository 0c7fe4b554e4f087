/** Checks for `paywright doctor` whether our app at PayPal can accept payments. */
import { filled, readJsonBody, v, type Ability, type AccountFinding } from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { errors, get, send } from './wire.ts';

/** The events that the webhook must report. */
export const webhookEvents: readonly string[] = [
  'CHECKOUT.ORDER.APPROVED',
  'CHECKOUT.PAYMENT-APPROVAL.REVERSED',
  'PAYMENT.AUTHORIZATION.CREATED',
  'PAYMENT.AUTHORIZATION.VOIDED',
  'PAYMENT.CAPTURE.COMPLETED',
  'PAYMENT.CAPTURE.PENDING',
  'PAYMENT.CAPTURE.DECLINED',
  'PAYMENT.CAPTURE.DENIED',
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'PAYMENT.REFUND.PENDING',
  'PAYMENT.REFUND.FAILED',
  'CUSTOMER.DISPUTE.CREATED',
  'CUSTOMER.DISPUTE.UPDATED',
  'CUSTOMER.DISPUTE.RESOLVED',
];

const Webhook = v.object({ id: filled, url: v.string(), event_types: v.array(v.object({ name: v.string() })) });
type Webhook = v.InferOutput<typeof Webhook>;
const Webhooks = v.object({ webhooks: v.array(Webhook) });

export const checkAccount: Ability<'checkAccount', Options> = async (ctx) => {
  const reply = await send(ctx, get('/v1/notifications/webhooks'));
  const webhooks = reply.status === 200 ? readJsonBody(Webhooks, reply)?.webhooks : undefined;
  if (!webhooks) {
    return [{ ok: false, finding: errors.read(reply).named, cure: 'check clientId and clientSecret' }];
  }
  const signedIn = { ok: true, finding: 'PayPal accepts clientId and clientSecret' };
  const ours = webhooks.find(({ id }) => id === ctx.options.webhookIds[0]);
  return [signedIn, webhookFinding(ours, ctx.callbackUrl('paypal')), await disputesFinding(ctx)];
};

function webhookFinding(webhook: Webhook | undefined, url: string): AccountFinding {
  if (!webhook) {
    return {
      ok: false,
      finding: 'PayPal has no webhook with the first id of webhookIds',
      cure: `add a webhook to ${url} in the PayPal Developer Dashboard, the app, Webhooks`,
    };
  }
  if (webhook.url !== url) {
    return { ok: false, finding: `the webhook goes to ${webhook.url}`, cure: `change its address to ${url}` };
  }
  const names = webhook.event_types.map(({ name }) => name);
  const missing = names.includes('*') ? [] : webhookEvents.filter((event) => !names.includes(event));
  if (missing.length > 0) {
    return { ok: false, finding: `the webhook to ${url} lacks ${missing.join(', ')}`, cure: 'add these events to it' };
  }
  return { ok: true, finding: `the webhook to ${url} reports all required events` };
}

/** Webhooks about disputes are believed only after PayPal showed the dispute. */
async function disputesFinding(ctx: Context): Promise<AccountFinding> {
  const reply = await send(ctx, get('/v1/customer/disputes?page_size=1'));
  if (reply.status === 200) return { ok: true, finding: 'the app can read disputes' };
  return {
    ok: false,
    finding: `the app cannot read disputes: ${errors.read(reply).named}`,
    cure: 'enable the feature Disputes of the app in the PayPal Developer Dashboard, Apps & Credentials',
  };
}
