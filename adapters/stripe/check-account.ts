/** Checks for `paywright doctor` whether our Stripe account can accept payments. */
import { defined, filled, readAs, readJsonBody, v, type Ability, type AccountFinding } from '@paywright/contract';
import { isTestKey, type Context, type Options } from './options.ts';
import { API_VERSION, errors, get } from './wire.ts';

/** The events that the webhook must report. */
export const webhookEvents: readonly string[] = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'checkout.session.expired',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
];

const Account = v.object({
  id: v.optional(filled),
  charges_enabled: v.boolean(),
  requirements: v.optional(v.object({ disabled_reason: v.nullish(v.string()) })),
});

const Endpoint = v.object({
  url: v.string(),
  status: v.string(),
  enabled_events: v.array(v.string()),
  api_version: v.nullable(v.string()),
});
const Endpoints = v.object({ data: v.array(Endpoint) });
type Endpoint = v.InferOutput<typeof Endpoint>;

export const checkAccount: Ability<'checkAccount', Options> = async (ctx) => {
  const [have, need] = [isTestKey(ctx.options), ctx.sandbox].map((isTest) => (isTest ? 'test' : 'live'));
  if (have !== need) {
    const cure = need === 'test' ? 'set sandboxOptions.secretKey to sk_test_…' : 'set secretKey to sk_live_…';
    return [{ ok: false, finding: `secretKey is a ${have} key, but this is the ${need} side`, cure }];
  }
  return [await accountFinding(ctx), ...(await webhookFindings(ctx)), ...(await methodFindings(ctx))];
};

async function accountFinding({ http, options }: Context): Promise<AccountFinding> {
  const reply = await http.send(get(options, '/v1/account'));
  const account = reply.status === 200 ? readJsonBody(Account, reply) : undefined;
  if (!account)
    return {
      ok: false,
      finding: errors.read(reply).named,
      cure: 'check secretKey: it needs permission to read the account',
    };
  const accountId = account.id;
  if (account.charges_enabled)
    return { ok: true, finding: 'the account can accept payments', ...defined({ accountId }) };
  const why = account.requirements?.disabled_reason;
  return {
    ok: false,
    finding: `Stripe accepts no payments for this account${why ? `: ${why}` : ''}`,
    cure: 'open the Stripe Dashboard, Settings, Business, and complete what it asks for',
  };
}

async function webhookFindings({ http, options, callbackUrl }: Context): Promise<readonly AccountFinding[]> {
  const url = callbackUrl('stripe');
  const reply = await http.send(get(options, '/v1/webhook_endpoints', { limit: '100' }));
  const endpoints = reply.status === 200 ? readJsonBody(Endpoints, reply)?.data : undefined;
  if (!endpoints) {
    return [
      {
        ok: false,
        finding: errors.read(reply).named,
        cure: 'give secretKey permission to read webhook endpoints, or check them manually',
      },
    ];
  }
  const ours = endpoints.filter((endpoint) => endpoint.url === url);
  if (ours.length === 0) {
    return [
      {
        ok: false,
        finding: `Stripe has no webhook for ${url}`,
        cure: 'add it in the Stripe Dashboard, Workbench, Webhooks',
      },
    ];
  }
  return ours.map(webhookFinding);
}

/** The settings of payment methods. Each further member is a method, by Stripe's name. */
const Methods = v.object({
  data: v.array(v.looseObject({ is_default: v.boolean(), application: v.nullish(v.string()) })),
});
const Method = v.object({ available: v.boolean() });

/** What Checkout offers by the account's settings, compared with what the payer's page says. */
async function methodFindings({ http, options }: Context): Promise<readonly AccountFinding[]> {
  if (options.pageMethods === 'card') return [];
  const reply = await http.send(get(options, '/v1/payment_method_configurations', { limit: '100' }));
  const all = reply.status === 200 ? readJsonBody(Methods, reply)?.data : undefined;
  const ours = all?.find(({ is_default, application }) => is_default && !application);
  if (!ours) {
    return [
      {
        ok: false,
        finding: all ? 'Stripe shows no default payment methods' : errors.read(reply).named,
        cure: 'give secretKey permission to read payment method configurations, or set pageMethods to card',
      },
    ];
  }
  const offered = Object.keys(ours).filter((name) => readAs(Method, ours[name])?.available);
  const settings = 'Stripe Dashboard, Settings, Payment methods';
  const promised = options.pageShows.filter((method) => !offered.includes(method));
  const wallets = ['apple_pay', 'google_pay'].filter((method) => !offered.includes(method));
  return [
    { ok: true, finding: `at its page Stripe offers ${offered.join(', ') || 'nothing'}` },
    ...(promised.length > 0
      ? [
          {
            ok: false,
            finding: `pageShows names ${promised.join(', ')}, which Stripe does not offer`,
            cure: `turn it on in the ${settings}, or remove it from pageShows`,
          },
        ]
      : []),
    ...(wallets.length > 0
      ? [{ ok: true, finding: `${wallets.join(' and ')} is off`, cure: `to offer it, turn it on in the ${settings}` }]
      : []),
  ];
}

function webhookFinding({ url, status, enabled_events, api_version }: Endpoint): AccountFinding {
  const missing = enabled_events.includes('*') ? [] : webhookEvents.filter((event) => !enabled_events.includes(event));
  if (status !== 'enabled') return { ok: false, finding: `the webhook for ${url} is ${status}`, cure: 'enable it' };
  if (missing.length > 0) {
    return { ok: false, finding: `the webhook for ${url} lacks ${missing.join(', ')}`, cure: 'add these events to it' };
  }
  if (api_version !== API_VERSION) {
    const has = api_version ?? "the account's default version";
    return {
      ok: false,
      finding: `the webhook for ${url} has ${has}`,
      cure: `create it again with API version ${API_VERSION}`,
    };
  }
  return { ok: true, finding: `the webhook for ${url} reports all required events` };
}
