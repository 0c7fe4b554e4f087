/**
 * Checks for `paywright doctor` whether the key and the account belong to the same side, and whether the webhook
 * reaches us.
 */
import {
  jsonPost,
  readJsonBody,
  urlPath,
  v,
  type Ability,
  type AccountFinding,
  type AdapterContext,
  type HttpReply,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { extraEvents, neededEvents } from './statuses.ts';
import { errors } from './wire.ts';

type Context = AdapterContext<Options>;

export const checkAccount: Ability<'checkAccount', Options> = async (ctx) => {
  const key = await checkKey(ctx);
  const to = ctx.sandbox ? 'sandboxManagementBaseUrl' : 'managementBaseUrl';
  if (!key.every(({ ok }) => ok)) return key;
  if (ctx.options[to] === undefined) {
    return [...key, { ok: true, finding: `account and webhook are not checked: ${to} is not set` }];
  }
  return [...key, ...(await checkMerchant(ctx, to)), ...(await checkWebhook(ctx, to))];
};

const Methods = v.object({ paymentMethods: v.optional(v.array(v.object({ type: v.string() })), []) });

/**
 * Requests the list of payment methods. It charges nothing, and Adyen refuses it with a key of the other side or of
 * another account.
 */
async function checkKey({ http, options, sandbox }: Context): Promise<AccountFinding[]> {
  const { merchantAccount, apiKey } = options;
  const asked = jsonPost('/paymentMethods', { merchantAccount, channel: 'Web' }, { 'X-API-Key': apiKey });
  const reply = await http.send({ ...asked, chargesNothing: true });
  const side = sandbox ? 'test' : 'live';
  if (reply.status !== 200) {
    const cure = `enter the ${side} key in apiKey (it needs the Checkout webservice role), and its account in merchantAccount`;
    return [{ ok: false, finding: `${errors.read(reply).named} to the ${side} key`, cure }];
  }
  const takesCards = readJsonBody(Methods, reply)?.paymentMethods.some(({ type }) => type === 'scheme');
  const finding = `the ${side} key is valid for ${merchantAccount}`;
  if (takesCards) return [{ ok: true, finding: `${finding}, which accepts cards` }];
  return [
    {
      ok: false,
      finding: `${finding}, which accepts no cards`,
      cure: 'add cards in the Customer Area, Settings, Payment methods',
    },
  ];
}

const Merchant = v.object({ status: v.optional(v.string()), captureDelay: v.optional(v.string()) });

async function checkMerchant(ctx: Context, to: keyof Options): Promise<AccountFinding[]> {
  const path = urlPath`/merchants/${ctx.options.merchantAccount}`;
  const reply = await ask(ctx, to, path);
  const merchant = reply.status === 200 ? readJsonBody(Merchant, reply) : undefined;
  if (!merchant) return [notShown(reply, 'the merchant account', 'Management API - Account read')];
  const isActive = merchant.status === 'Active';
  const cure = 'ask Adyen in the Customer Area what the account lacks';
  return [
    {
      ok: isActive,
      finding: `the merchant account is ${merchant.status ?? 'without a status'}`,
      ...(isActive ? {} : { cure }),
    },
  ];
}

const Webhooks = v.object({
  data: v.optional(
    v.array(
      v.object({
        type: v.string(),
        url: v.string(),
        active: v.boolean(),
        communicationFormat: v.string(),
        username: v.optional(v.string()),
        hmacKeyCheckValue: v.optional(v.string()),
        hasError: v.optional(v.boolean()),
        additionalSettings: v.optional(
          v.object({
            includeEventCodes: v.optional(v.array(v.string()), []),
            excludeEventCodes: v.optional(v.array(v.string()), []),
          }),
        ),
      }),
    ),
    [],
  ),
});
type Webhook = v.InferOutput<typeof Webhooks>['data'][number];

async function checkWebhook(ctx: Context, to: keyof Options): Promise<AccountFinding[]> {
  const { options, callbackUrl } = ctx;
  const reply = await ask(ctx, to, urlPath`/merchants/${options.merchantAccount}/webhooks?pageSize=${'100'}`);
  const webhooks = reply.status === 200 ? readJsonBody(Webhooks, reply)?.data : undefined;
  if (!webhooks) return [notShown(reply, 'the webhooks', 'Management API - Webhooks read')];
  const url = callbackUrl('adyen');
  const ours = webhooks.find((webhook) => webhook.type === 'standard' && webhook.url === url);
  if (!ours)
    return [
      {
        ok: false,
        finding: `no standard webhook goes to ${url}`,
        cure: 'add it: Developers, Webhooks, Standard webhook',
      },
    ];
  const faults = faultsOf(ours, options);
  if (faults.length === 0) return [{ ok: true, finding: `the webhook to ${url} is active and signed` }];
  return faults.map(([finding, cure]) => ({ ok: false, finding: `the webhook to ${url} ${finding}`, cure }));
}

function faultsOf(webhook: Webhook, { webhookUser }: Options): (readonly [finding: string, cure: string])[] {
  const { active, communicationFormat, username, hmacKeyCheckValue, hasError } = webhook;
  const unsent = unsentEvents(webhook).join(', ');
  const faults = [
    !active && (['is not active', 'enable it in the Customer Area'] as const),
    communicationFormat !== 'json' && ([`speaks ${communicationFormat}`, 'choose JSON as its method'] as const),
    username !== webhookUser && (['has a different user name', 'enter the user name of webhookUser'] as const),
    !hmacKeyCheckValue && (['is not signed', 'generate an HMAC key under Security, and enter it in hmacKeys'] as const),
    unsent !== '' && ([`does not send ${unsent}`, 'choose these events in the Customer Area'] as const),
    hasError === true && (['fails', 'see Troubleshoot in the Customer Area'] as const),
  ];
  return faults.filter((fault) => fault !== false);
}

/** Required events that are certainly not sent. Adyen may not show which events it sends. */
function unsentEvents({ additionalSettings }: Webhook): readonly string[] {
  const { includeEventCodes = [], excludeEventCodes = [] } = additionalSettings ?? {};
  const unchosen =
    includeEventCodes.length > 0 ? extraEvents.filter((event) => !includeEventCodes.includes(event)) : [];
  return [...new Set([...unchosen, ...neededEvents.filter((event) => excludeEventCodes.includes(event))])];
}

function ask({ http, options }: Context, to: keyof Options, path: string): Promise<HttpReply> {
  return http.send({ method: 'GET', path, to, headers: { 'X-API-Key': options.apiKey } });
}

/** A payment key need not have the role, so this says nothing about the account. */
function notShown(reply: HttpReply, what: string, role: string): AccountFinding {
  const { named } = errors.read(reply);
  return { ok: true, finding: `${what} cannot be checked (${named}): the key would need the role ${role}` };
}
