/** Whether the account is fit for payments, for `paywright doctor`. */
import { basicAuthorization, readJsonBody, v, type Ability, type AccountFinding } from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { webhookEvents } from './statuses.ts';
import { errors, get } from './wire.ts';

export const checkAccount: Ability<'checkAccount', Options> = async (ctx) => {
  const key = await checkKey(ctx);
  if (!key.ok) return [checkMode(ctx), key];
  return [checkMode(ctx), key, await checkUpi(ctx), await checkWebhook(ctx)];
};

function checkMode({ options, sandbox }: Context): AccountFinding {
  const [is, wanted] = [options.keyId.startsWith('rzp_test_') ? 'test' : 'live', sandbox ? 'test' : 'live'];
  const finding = `keyId is of the ${is} mode`;
  const cure = `take the ${wanted} key: ${sandbox ? 'sandboxOptions' : 'options'}.keyId, with its keySecret`;
  return is === wanted ? { ok: true, finding } : { ok: false, finding: `${finding}, for ${wanted} payments`, cure };
}

async function checkKey({ http, options }: Context): Promise<AccountFinding> {
  const reply = await http.send(get(options, '/v1/payments?count=1'));
  if (reply.status === 200) return { ok: true, finding: 'the API key is taken' };
  const cure = 'check keyId and keySecret, and the addresses that the account lets in';
  return { ok: false, finding: errors.read(reply).named, cure };
}

const Methods = v.object({ upi: v.boolean() });

async function checkUpi({ http, options }: Context): Promise<AccountFinding> {
  // This call takes the key's id without its secret.
  const headers = { Authorization: basicAuthorization(options.keyId, '') };
  const reply = await http.send({ method: 'GET', path: '/v1/methods', headers });
  const methods = readJsonBody(Methods, reply);
  if (reply.status !== 200 || !methods) return { ok: true, finding: 'Razorpay does not say whether UPI is enabled' };
  if (methods.upi) return { ok: true, finding: 'UPI is enabled' };
  return { ok: false, finding: 'UPI is not enabled', cure: 'Dashboard, Account & Settings, Payment methods' };
}

const Webhooks = v.object({
  items: v.array(v.object({ url: v.string(), active: v.boolean(), events: v.array(v.string()) })),
});

async function checkWebhook({ http, options, callbackUrl }: Context): Promise<AccountFinding> {
  const url = callbackUrl('razorpay');
  const reply = await http.send(get(options, '/v1/webhooks?count=100'));
  const webhooks = reply.status === 200 ? readJsonBody(Webhooks, reply)?.items : undefined;
  if (!webhooks) return { ok: true, finding: `Razorpay does not list webhooks: look in the Dashboard for ${url}` };
  const own = webhooks.find((webhook) => webhook.url === url && webhook.active);
  const missing = webhookEvents.filter((event) => !own?.events.includes(event));
  if (missing.length === 0) return { ok: true, finding: 'the webhook is there, with every event' };
  const finding = own ? `the webhook lacks ${missing.join(', ')}` : `no active webhook for ${url}`;
  return { ok: false, finding, cure: 'Dashboard, Account & Settings, Webhooks: as the adapter’s console steps say' };
}
