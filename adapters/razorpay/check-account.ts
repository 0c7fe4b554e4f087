/** Checks for `paywright doctor` whether the account can accept payments. */
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
  const finding = `keyId belongs to the ${is} mode`;
  const cure = `set ${sandbox ? 'sandboxOptions' : 'options'}.keyId and its keySecret to the ${wanted} key`;
  return is === wanted
    ? { ok: true, finding }
    : { ok: false, finding: `${finding}, but is used for ${wanted} payments`, cure };
}

async function checkKey({ http, options }: Context): Promise<AccountFinding> {
  const reply = await http.send(get(options, '/v1/payments?count=1'));
  if (reply.status === 200) return { ok: true, finding: 'the API key is accepted' };
  const cure = 'check keyId and keySecret, and the IP addresses that the account allows';
  return { ok: false, finding: errors.read(reply).named, cure };
}

const Methods = v.object({ upi: v.boolean() });

async function checkUpi({ http, options }: Context): Promise<AccountFinding> {
  // This call accepts the id of the key without its secret.
  const headers = { Authorization: basicAuthorization(options.keyId, '') };
  const reply = await http.send({ method: 'GET', path: '/v1/methods', headers });
  const methods = readJsonBody(Methods, reply);
  if (reply.status !== 200 || !methods) return { ok: true, finding: 'Razorpay does not show whether UPI is enabled' };
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
  if (!webhooks) return { ok: true, finding: `Razorpay does not list webhooks: look for ${url} in the Dashboard` };
  const own = webhooks.find((webhook) => webhook.url === url && webhook.active);
  const missing = webhookEvents.filter((event) => !own?.events.includes(event));
  if (missing.length === 0) return { ok: true, finding: 'the webhook exists, with every event' };
  const finding = own ? `the webhook lacks ${missing.join(', ')}` : `no active webhook for ${url}`;
  return {
    ok: false,
    finding,
    cure: 'add or enable it in the Dashboard, Account & Settings, Webhooks, as the console steps of the adapter describe',
  };
}
