/** Every setting of the service: names, units and bounds. Values are in default.yaml, explanations in README.md. */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { isCurrency, paymentMethods, secretOf, v } from '@paywright/contract';
import type { PaymentMethod } from '@paywright/contract';
import { isMap } from './settings.ts';
import type { Path } from './settings.ts';

/** A number, or its digits, because an environment variable is always text. */
function number(min: number, max: number) {
  const message = `must be a number from ${min} to ${max}`;
  const toNumber = v.transform((value: unknown) =>
    typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value,
  );
  return v.pipe(v.unknown(), toNumber, v.number(message), v.minValue(min, message), v.maxValue(max, message));
}

function integer(min: number, max: number) {
  return v.pipe(number(min, max), v.integer(`must be a whole number from ${min} to ${max}`));
}

const flag = v.pipe(
  v.unknown(),
  v.transform((value) => (value === 'true' ? true : value === 'false' ? false : value)),
  v.boolean('must be true or false'),
);

function text(pattern: RegExp, message: string) {
  return v.pipe(v.string(message), v.regex(pattern, message));
}

function oneOf<const T extends readonly string[]>(values: T) {
  return v.picklist(values, `must be one of ${values.join(', ')}`);
}

/** A list. A single value counts as a list of one. */
function oneOrMore<T extends v.GenericSchema>(item: T) {
  const toList = v.transform((value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [value]));
  return v.pipe(v.unknown(), toList, v.array(item), v.nonEmpty('must name at least one'));
}

const operatorRole = oneOf(['admin', 'support', 'viewer']);
const hostName = text(/^[\w.:-]+$/, 'must be a host name or an IP address');
const email = text(/^[^\s@]+@[^\s@]+$/, 'must be a mail address');
const webhookSecret = text(
  /^whsec_[A-Za-z0-9+/]{43}=$/,
  'must be whsec_ and 32 bytes in base64: echo whsec_$(openssl rand -base64 32)',
);
const nonEmptyText = text(/\S/, 'must be text that is not empty');
const shortText = text(/^(?=.*\S)[^\p{Cc}]{1,60}$/u, 'must be 1 to 60 characters on one line');
const decimal = text(/^(0|[1-9]\d{0,14})(\.\d{1,18})?$/, "must be a decimal number in quotes, such as '0.25'");
const rate = v.pipe(
  decimal,
  v.check((digits) => /[1-9]/.test(digits), 'must be more than 0'),
);
const currency = text(/^[A-Z][A-Z0-9]{2,11}$/, 'must be a currency in capital letters, such as EUR');
const bin = text(/^\d{6,8}$/, "must be the first 6 to 8 digits of a card number, in quotes: '411111'");
const optionMap = v.custom<Record<string, unknown>>(isMap, 'must be a map');
const adapterName = text(/^[a-z][a-z0-9-]{0,39}$/, 'must be 1 to 40 of a–z, 0–9 and -, starting with a letter');
const accountName = v.pipe(
  adapterName,
  v.check((name) => name !== 'main', 'must not be main: the account main has the adapter’s own options'),
);
/** An account in a rule: `<adapter>` is its account `main`. */
const accountRef = text(/^[a-z][a-z0-9-]{0,39}(\/[a-z][a-z0-9-]{0,39})?$/, 'must be <adapter> or <adapter>/<account>');
const encryptionKey = text(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64: openssl rand -base64 32');
/** A list, or one text with commas between the keys, because an environment variable is always text. */
const encryptionKeys = v.pipe(
  v.unknown(),
  v.transform((value) => (typeof value === 'string' ? value.split(',').map((key) => key.trim()) : value)),
  v.array(secretOf(encryptionKey), 'must be a key, or a list of keys'),
  v.nonEmpty('must name at least one'),
);
const tokenSecret = v.pipe(v.string('must be text'), v.minBytes(32, 'must have at least 32 bytes'));
const network = v.pipe(
  v.string('must be text'),
  v.check(isNetwork, 'must be a network such as 10.0.0.0/8 or fd00::/8'),
);
const portRange = v.pipe(
  v.union([v.number(), v.string()], 'must be a port, or a range such as 1024-65535'),
  v.check(isPortRange, 'must be a port, or a range such as 1024-65535'),
);
const publicUrl = v.pipe(
  v.string('must be text'),
  v.check(isPublicUrl, 'must be an http or https address without user, query and fragment'),
  v.transform((url) => url.replace(/(?<!\/)\/+$/, '')),
);

const webAddress = v.pipe(
  v.string('must be text'),
  v.check(isPublicUrl, 'must be an http or https address without user, query and fragment'),
);

function isNetwork(cidr: string): boolean {
  const [address = '', bits = '', ...rest] = cidr.split('/');
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= longest;
}

function isPortRange(range: number | string): boolean {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(String(range)) ?? [];
  return Number(from) >= 1 && Number(from) <= Number(to) && Number(to) <= 65_535;
}

function isPublicUrl(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return !!url && /^https?:$/.test(url.protocol) && !/[?#@\s]/.test(address);
}

const Server = v.pipe(
  v.strictObject({
    host: hostName,
    port: integer(1, 65535),
    publicUrl: v.optional(publicUrl),
    trustedProxies: integer(0, 10),
    shutdownSeconds: number(1, 300),
    processes: v.optional(integer(1, 256), () => Math.min(Math.max(2, Math.floor(availableParallelism() / 2)), 256)),
  }),
  v.transform((server) => {
    const host = server.host.includes(':') ? `[${server.host}]` : server.host;
    return { ...server, publicUrl: server.publicUrl ?? `http://${host}:${server.port}` };
  }),
);

/** The members that an adapter, as its account `main`, and each further account have. */
const account = {
  state: v.optional(oneOf(['on', 'draining', 'off']), 'on'),
  options: v.optional(optionMap, {}),
  sandboxOptions: v.exactOptional(optionMap),
  fee: v.optional(
    v.strictObject({
      percent: v.optional(decimal, '0'),
      fixed: v.optional(v.record(currency, decimal), {}),
    }),
  ),
  currencies: v.optional(v.pipe(v.array(currency), v.nonEmpty('must name at least one'))),
};

const Account = v.strictObject({
  ...account,
  merchants: v.exactOptional(v.array(nonEmptyText, 'must be a list of names of merchants')),
});

const Adapter = v.strictObject({
  package: nonEmptyText,
  ...account,
  accounts: v.exactOptional(v.record(accountName, Account)),
  title: v.exactOptional(
    v.union(
      [shortText, v.record(text(/^[a-z]{2}$/, 'must be a language code such as de'), shortText)],
      'must be a text, or a text by language',
    ),
  ),
  brands: v.exactOptional(v.pipe(v.array(shortText), v.nonEmpty('must name at least one'))),
  networks: v.optional(v.array(network), []),
  sandbox: v.optional(
    v.strictObject({
      run: v.optional(flag, false),
      delayMs: v.optional(integer(0, 60_000), 300),
      options: v.optional(optionMap, {}),
    }),
    {},
  ),
});

export type AdapterSettings = v.InferOutput<typeof Adapter> & {
  /** The address of the adapter's sandbox while the gateway itself runs it. The start sets it; no file can. */
  readonly sandboxUrl?: string;
};

/** The settings that loading an adapter needs. */
export type AdapterSource = Pick<
  AdapterSettings,
  'package' | 'state' | 'options' | 'sandboxOptions' | 'accounts' | 'sandbox' | 'sandboxUrl' | 'title' | 'brands'
>;
const AdapterSource = v.object({
  package: Adapter.entries.package,
  state: Adapter.entries.state,
  options: Adapter.entries.options,
  sandboxOptions: Adapter.entries.sandboxOptions,
  accounts: Adapter.entries.accounts,
  sandbox: Adapter.entries.sandbox,
  title: Adapter.entries.title,
  brands: Adapter.entries.brands,
});

/** Returns the adapters that can be loaded, even if other settings are wrong. */
export function readAdapterSources(settings: unknown): Record<string, AdapterSource> {
  const listed = isMap(settings) && isMap(settings['adapters']) ? settings['adapters'] : {};
  const found = Object.entries(listed).flatMap(([name, adapter]) => {
    const read = v.safeParse(AdapterSource, adapter);
    return read.success && v.is(adapterName, name) ? [[name, read.output] as const] : [];
  });
  return Object.fromEntries(found);
}

const when = v.optional(
  v.strictObject({
    method: v.optional(oneOrMore(oneOf(Object.keys(paymentMethods) as PaymentMethod[]))),
    currency: v.optional(oneOrMore(currency)),
    country: v.optional(oneOrMore(text(/^[A-Z]{2}$/, 'must be a country of two capital letters'))),
    bin: v.optional(oneOrMore(bin)),
    amountFrom: v.optional(decimal),
    amountTo: v.optional(decimal),
    isSandbox: v.optional(flag),
    merchant: v.optional(oneOrMore(nonEmptyText)),
  }),
  {},
);
const ruleId = integer(1, 999_999);

const RouteRule = v.strictObject({
  id: ruleId,
  when,
  use: v.pipe(v.array(accountRef), v.nonEmpty('must name at least one adapter')),
  fallback: v.optional(flag, false),
});

const RiskRule = v.strictObject({
  id: ruleId,
  when,
  velocity: v.optional(
    v.strictObject({
      by: oneOf(['card', 'email', 'ip']),
      max: integer(1, 1_000_000),
      windowMinutes: number(1, 525_600),
    }),
  ),
  action: oneOf(['deny', 'require3ds']),
  reason: nonEmptyText,
});

export const Config = v.pipe(
  v.strictObject({
    server: Server,
    database: v.strictObject({
      uri: v.optional(secretOf(nonEmptyText)),
      dataDir: nonEmptyText,
      allowInsecure: v.optional(flag, false),
    }),
    workers: v.optional(
      v.strictObject({ count: v.optional(integer(1, 256), () => Math.min(availableParallelism(), 256)) }),
      {},
    ),
    log: v.strictObject({
      level: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
      file: flag,
      maxMegabytes: number(0.01, 100_000),
      keepDays: number(0.01, 3650),
    }),
    keys: v.strictObject({
      liveKeys: flag,
      rateLimitPerMinute: integer(1, 1_000_000),
      keepCallsDays: number(0.01, 365),
    }),
    security: v.optional(v.strictObject({ encryptionKey: v.optional(encryptionKeys) }), {}),
    threeDs: v.strictObject({
      tokenSecrets: v.optional(
        v.pipe(
          v.array(secretOf(tokenSecret)),
          v.minLength(1, 'must have 1 to 3 secrets'),
          v.maxLength(3, 'must have 1 to 3 secrets'),
        ),
      ),
      tokenTtlSeconds: integer(300, 7200),
    }),
    http: v.strictObject({
      bodyLimitBytes: integer(1024, 2 ** 30),
      batchLimitBytes: integer(1024, 2 ** 30),
      callbackLimitBytes: integer(1024, 2 ** 30),
      bodyBudgetBytes: integer(1024, 2 ** 40),
      maxConnections: integer(1, 1_000_000),
      maxConnectionsPerAddress: integer(1, 1_000_000),
      maxRequestsPerConnection: integer(1, 1_000_000),
      refuseCardNumbers: v.optional(flag, false),
    }),
    provider: v.strictObject({
      callTimeoutMs: integer(10, 600_000),
      concurrency: integer(1, 10_000),
      breakerFailures: integer(1, 10_000),
      breakerCoolOffMs: integer(10, 3_600_000),
      keepCallsDays: number(1, 3650),
    }),
    notifications: v.strictObject({
      attemptDelaysSeconds: v.pipe(v.array(number(0, 604_800)), v.nonEmpty('must have at least one delay')),
      timeoutMs: integer(10, 600_000),
      allowedPrivateNetworks: v.array(network),
      allowedPorts: v.array(portRange),
      refusedPorts: v.array(portRange),
      perReceiverConcurrency: integer(1, 1000),
      breakerFailures: integer(1, 10_000),
      breakerCoolOffMs: integer(10, 3_600_000),
      disableEndpointAfterDays: number(0.001, 365),
      jitterFraction: number(0, 1),
      keepDays: number(1, 3650),
      keepUndeliveredDays: v.optional(number(7, 3650)),
    }),
    payments: v.strictObject({
      expireCreatedAfterHours: number(0.001, 87_600),
      expireAtMostAfterHours: number(0.001, 87_600),
      nothingChargedAfterSeconds: number(0, 86_400),
      refundDoubleCharge: flag,
      catchUpPaidDays: number(0, 3650),
      reportingCurrency: v.pipe(currency, v.check(isCurrency, 'must be an active ISO 4217 currency, such as EUR')),
      exchangeRates: v.record(currency, rate),
      premiumCardBins: v.array(bin),
      openAllCurrencies: flag,
    }),
    callbacks: v.strictObject({ unknownReferenceHours: number(0.001, 8760), keepDays: integer(90, 3650) }),
    adapters: v.record(adapterName, Adapter),
    routes: v.array(RouteRule),
    risk: v.array(RiskRule),
    alarms: v.strictObject({
      webhook: v.optional(v.strictObject({ url: webAddress, secret: secretOf(webhookSecret) })),
      mailTo: v.array(email),
      reminderHours: number(0.01, 8760),
      backlogMinutes: number(0.01, 1440),
      keepResolvedDays: number(1, 3650),
    }),
    settlement: v.strictObject({ keepDays: number(1, 3650) }),
    traces: v.strictObject({ endpoint: v.optional(webAddress), ratio: number(0, 1) }),
    ops: v.strictObject({
      enabled: flag,
      host: hostName,
      port: v.optional(integer(1, 65535)),
      publicUrl: v.optional(publicUrl),
      keylessLoopbackMetrics: flag,
      trustedProxies: integer(0, 10),
      singleSignOn: v.optional(
        v.strictObject({
          proxies: v.pipe(v.array(network), v.nonEmpty('must name at least one')),
          roles: v.optional(v.record(nonEmptyText, operatorRole), {}),
          otherwise: v.optional(operatorRole),
        }),
      ),
    }),
    mail: v.strictObject({
      catcher: v.optional(flag, false),
      smtp: v.optional(
        v.strictObject({
          host: nonEmptyText,
          port: integer(1, 65535),
          user: v.optional(nonEmptyText),
          password: v.optional(secretOf(nonEmptyText)),
          from: nonEmptyText,
        }),
      ),
    }),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    for (const { path, message } of ruleProblems(dataset.value)) {
      const toItem = (key: string) => ({ type: 'unknown', origin: 'value', input: null, key, value: null }) as const;
      const [first = '', ...rest] = path;
      addIssue({ message, path: [toItem(first), ...rest.map(toItem)] });
    }
  }),
);
export type Config = Omit<v.InferOutput<typeof Config>, 'adapters'> & { adapters: Record<string, AdapterSettings> };

const Ruled = v.object({
  adapters: v.record(v.string(), v.unknown()),
  routes: v.array(v.object({ id: v.unknown(), use: v.array(v.unknown()) })),
  risk: v.array(v.object({ id: v.unknown() })),
});

/** Problems between rules: duplicate ids, and adapters that do not exist. */
function* ruleProblems(config: unknown): Generator<{ path: Path; message: string }> {
  if (!v.is(Ruled, config)) return;
  const { adapters, routes, risk } = config;
  for (const [list, rules] of Object.entries({ routes, risk })) {
    for (const [at, { id }] of rules.entries()) {
      const first = rules.findIndex((rule) => rule.id === id);
      if (first < at) yield { path: [list, `${at}`, 'id'], message: `is also the id of ${list}.${first}` };
    }
  }
  const names = new Set<unknown>(Object.keys(adapters));
  const message = `is not an adapter of the section adapters; it has: ${[...names].join(', ') || 'none'}`;
  for (const [rule, { use }] of routes.entries()) {
    for (const [at, ref] of use.entries()) {
      const [name] = String(ref).split('/');
      if (!names.has(name)) yield { path: ['routes', `${rule}`, 'use', `${at}`], message };
    }
  }
}

interface SchemaNode {
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  readonly value?: SchemaNode;
  readonly item?: SchemaNode;
  readonly wrapped?: SchemaNode;
}

/** The keys that the map at `path` may have. Empty if it may have any keys. */
export function keysAt(path: Path): string[] {
  const inner = (node: SchemaNode | undefined) => node?.wrapped ?? node;
  let node = inner(Config as SchemaNode);
  for (const key of path) node = inner(node?.entries?.[key] ?? node?.value ?? node?.item);
  return Object.keys(node?.entries ?? {});
}
