/** Checks for `paywright doctor` whether server, key, store and webhook can be used for payments. */
import {
  readAs,
  readJsonBody,
  urlPath,
  v,
  type Ability,
  type AccountFinding,
  type HttpReply,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { webhookEvents } from './statuses.ts';
import { errors, get, readItems } from './wire.ts';

export const checkAccount: Ability<'checkAccount', Options> = async (ctx) => {
  const server = await checkServer(ctx);
  if (!server.ok) return [server];
  return [server, await checkKey(ctx), await checkMethods(ctx), await checkWebhook(ctx)];
};

const Server = v.object({ version: v.string(), fullySynched: v.boolean() });

async function checkServer({ http, options, baseUrl }: Context): Promise<AccountFinding> {
  const reply = await http.send(get(options, '/server/info'));
  const server = reply.status === 200 ? readJsonBody(Server, reply) : undefined;
  if (!server)
    return {
      ok: false,
      finding: errors.read(reply).named,
      cure: `check apiKey, and that ${baseUrl} is a BTCPay Server`,
    };
  const finding = `BTCPay Server ${server.version} accepts the API key`;
  if (/^[01]\./.test(server.version)) return { ok: false, finding, cure: 'update it: version 2 or newer is needed' };
  if (server.fullySynched) return { ok: true, finding };
  return {
    ok: false,
    finding: `${finding}, but its nodes are not synchronised`,
    cure: 'wait until they are synchronised',
  };
}

const ApiKey = v.object({ permissions: v.array(v.string()) });

/** Permissions to create and read invoices, and to create and read refunds. */
const needed = ['cancreateinvoice', 'canviewinvoices', 'cancreatenonapprovedpullpayments'];

/** The permissions that a permission includes, as far as we need them. */
const includes: Readonly<Record<string, readonly string[]>> = {
  canmodifystoresettings: ['canmanagepullpayments', 'canmodifyinvoices'],
  canmodifyinvoices: ['cancreateinvoice', 'canviewinvoices'],
  canviewstoresettings: ['canviewinvoices'],
  canmanagepullpayments: ['cancreatepullpayments'],
  cancreatepullpayments: ['cancreatenonapprovedpullpayments'],
};

async function checkKey({ http, options }: Context): Promise<AccountFinding> {
  const reply = await http.send(get(options, '/api-keys/current'));
  const permissions = reply.status === 200 ? readJsonBody(ApiKey, reply)?.permissions : undefined;
  if (!permissions) return { ok: false, finding: errors.read(reply).named, cure: 'use an API key of an account' };
  const given = permissions.flatMap((permission) => {
    const [policy = '', store = options.storeId] = permission.split(':');
    return store === options.storeId ? withIncluded(policy.replace('btcpay.store.', '')) : [];
  });
  const missing = given.includes('unrestricted') ? [] : needed.filter((policy) => !given.includes(policy));
  if (missing.length === 0) {
    const finding = 'the API key can create invoices and refunds in the store';
    const closes = given.includes('unrestricted') || given.includes('canmodifyinvoices');
    const lacks = '; without btcpay.store.canmodifyinvoices it cannot close an unpaid invoice';
    return { ok: true, finding: closes ? finding : finding + lacks };
  }
  const named = missing.map((policy) => `btcpay.store.${policy}`).join(', ');
  return {
    ok: false,
    finding: `the API key lacks ${named}`,
    cure: 'create another one: Account, Manage account, API keys',
  };
}

function withIncluded(policy: string): readonly string[] {
  return [policy, ...(includes[policy] ?? []).flatMap(withIncluded)];
}

const PaymentMethods = v.array(v.object({ paymentMethodId: v.string() }));

async function checkMethods({ http, options }: Context): Promise<AccountFinding> {
  const path = urlPath`/stores/${options.storeId}/payment-methods?onlyEnabled=true`;
  const reply = await http.send(get(options, path));
  const methods = readAs(PaymentMethods, readItems(reply))?.map(({ paymentMethodId }) => paymentMethodId);
  if (!methods) return notShown(reply, 'payment methods', 'canviewstoresettings');
  const finding = `the store accepts ${methods.join(', ') || 'nothing'}`;
  const isThere = options.flow === 'page' ? methods.length > 0 : methods.includes(options.paymentMethod);
  if (isThere) return { ok: true, finding };
  const wanted = options.flow === 'page' ? 'a wallet' : `a wallet for ${options.paymentMethod}`;
  return { ok: false, finding, cure: `Store, Wallets: set up ${wanted}` };
}

const Webhooks = v.array(
  v.object({
    url: v.string(),
    enabled: v.boolean(),
    automaticRedelivery: v.boolean(),
    authorizedEvents: v.object({ everything: v.boolean(), specificEvents: v.array(v.string()) }),
  }),
);

async function checkWebhook({ http, options, callbackUrl }: Context): Promise<AccountFinding> {
  const url = callbackUrl('btcpay');
  const reply = await http.send(get(options, urlPath`/stores/${options.storeId}/webhooks`));
  const webhooks = readAs(Webhooks, readItems(reply));
  if (!webhooks) return notShown(reply, 'webhooks', 'webhooks.canmodifywebhooks');
  const own = webhooks.find((webhook) => webhook.url === url && webhook.enabled);
  const { everything, specificEvents } = own?.authorizedEvents ?? { everything: false, specificEvents: [] };
  const missing = everything ? [] : Object.keys(webhookEvents).filter((event) => !specificEvents.includes(event));
  if (own?.automaticRedelivery && missing.length === 0)
    return { ok: true, finding: 'the webhook exists, with every event' };
  const lacks = missing.length > 0 ? missing.join(', ') : 'automatic redelivery';
  const finding = own ? `the webhook lacks ${lacks}` : `no enabled webhook for ${url}`;
  return {
    ok: false,
    finding,
    cure: 'add or change it in Store, Settings, Webhooks, as the console steps of the adapter describe',
  };
}

/** Payments do not need the permission that this check needs. */
function notShown(reply: HttpReply, what: string, policy: string): AccountFinding {
  const { code, named } = errors.read(reply);
  if (code !== 'missing-permission') return { ok: false, finding: named, cure: 'check storeId' };
  return { ok: true, finding: `the store’s ${what} are not shown to an API key without btcpay.store.${policy}` };
}
