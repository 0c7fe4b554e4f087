/** The operations on merchants, their keys and their endpoints. */
import type { Actor } from '../../engine/audit/index.ts';
import { toEnvironment, type Owner, type OwnerDefaults } from '../../engine/access/index.ts';
import type { Merchants } from '../../engine/merchants/index.ts';
import { endpointId, type Endpoint } from '../../engine/notifications/index.ts';
import { invalidField, notFound } from '../../base/errors.ts';
import * as v from 'valibot';
import { bytes, choice, flag, list, nullable, number, text, time } from './input.ts';
import { operation } from './operation.ts';
import { pageOf } from './page-of.ts';
import type { ManagementServices } from './services.ts';

/** The longest wait for the answer to a test event. */
const testLimitMs = 60_000;

export const pageInput = {
  limit: v.optional(number('The most items of the page.', { min: 1, max: 100 })),
  cursor: v.optional(text('The `nextCursor` of the page before.')),
};
export const reason = v.optional(text('The reason, for the audit log.', { max: 500 }));
const merchant = text('The exact name of the merchant.', { max: 200 });
const allowsNearName = v.optional(flag('Create the merchant although its name is close to the name of another.'));
const keyId = text('The id of the key: `key_` and 16 hex digits.', { max: 100 });
const overlapHours = v.optional(
  number('How long the old value stays valid, in hours. Default 24.', { min: 0, max: 168, isWhole: false }),
);
const environment = choice('The mode of the events.', ['test', 'live']);

const settings = {
  notifyUrl: v.optional(nullable(text('The default address of live notifications.'))),
  testNotifyUrl: v.optional(nullable(text('The default address of test notifications.'))),
  email: v.optional(nullable(text('The address for notices.', { max: 320 }))),
  reportingCurrency: v.optional(
    nullable(text('The currency of totals. Null: the currency of the config.', { max: 3 })),
  ),
  notificationTypes: v.optional(
    nullable(list('The payment notification types to send. Null: all.', text('A type.', { max: 100 }))),
  ),
  displayName: v.optional(nullable(text('The name that payers see. Null: the name of the merchant.', { max: 60 }))),
  logo: v.optional(nullable(bytes('The logo that payers see, in base64: PNG, JPEG or WebP, at most 64 kB.'))),
  colour: v.optional(nullable(text('The colour of the payment page and mails: `#rrggbb`.', { max: 7 }))),
  support: v.optional(nullable(text('Where payers find help: an e-mail or https address.'))),
  terms: v.optional(nullable(text('The https address of the terms that payers agree to.'))),
  ownAccountsOnly: v.optional(nullable(flag('Use only the accounts of providers that are assigned to the merchant.'))),
};

type Given = v.InferOutput<v.StrictObjectSchema<typeof settings, undefined>>;

function toDefaults({ ownAccountsOnly, ...given }: Given): OwnerDefaults {
  return { ...given, ...(ownAccountsOnly !== undefined && { ownAccountsOnly: ownAccountsOnly || null }) };
}

const settingsExample = {
  testNotifyUrl: 'https://shop.example/payments',
  email: 'ana@shop.example',
  reportingCurrency: 'EUR',
  displayName: 'Ribeira',
};

/** Throws NF001. */
async function demandOwner({ owners }: Pick<ManagementServices, 'owners'>, name: string): Promise<Owner> {
  const owner = await owners.find(name);
  if (!owner) throw notFound(`merchant ${name}`);
  return owner;
}

/** Throws VAL002 if the name is new and close to the name of another merchant: it is probably misspelled. */
async function demandOtherName({ nearName }: Pick<Merchants, 'nearName'>, field: string, name: string): Promise<void> {
  const near = await nearName(name);
  if (near === undefined) return;
  const cure = 'use that name, or send "allowsNearName": true to create a second merchant';
  throw invalidField(field, name, `is close to the merchant "${near}": ${cure}`);
}

export const merchantOperations = {
  listMerchants: operation({
    method: 'GET',
    path: '/api/merchants',
    tag: 'Merchants',
    summary: 'List merchants, oldest first',
    input: {
      text: v.optional(text('A part of the name, of the name that payers see or of the e-mail, or the whole id.')),
      ...pageInput,
    },
    answer: 'MerchantList',
    async run({ merchants }, _, { text: wanted, ...page }) {
      let nextCursor: string | null = null;
      const items = await merchants.list(wanted, (found) => {
        const chosen = pageOf(found, ({ id }) => String(id), page);
        ({ nextCursor } = chosen);
        return chosen.items;
      });
      return { items, nextCursor };
    },
  }),

  createMerchant: operation({
    method: 'POST',
    path: '/api/merchants',
    tag: 'Merchants',
    summary: 'Create a merchant',
    description: 'Refuses a name that is taken. To create or change, put the merchant instead.',
    input: { name: merchant, allowsNearName, ...settings },
    example: { name: 'Ribeira Books', ...settingsExample },
    answer: 'ChangedMerchant',
    creates: 'always',
    async run({ merchants }, by, { name, allowsNearName: isNear, ...given }) {
      if (!isNear) await demandOtherName(merchants, 'name', name);
      const { owner, warnings } = await merchants.create(by, { name, allowsNearName: true, ...toDefaults(given) });
      return { ...owner, warnings, isNew: true };
    },
  }),

  getMerchant: operation({
    method: 'GET',
    path: '/api/merchants/{merchant}',
    tag: 'Merchants',
    summary: 'Read a merchant',
    input: { merchant },
    example: { merchant: 'Ribeira Books' },
    answer: 'Merchant',
    run: async (services, _, { merchant: name }) => demandOwner(services, name),
  }),

  putMerchant: operation({
    method: 'PUT',
    path: '/api/merchants/{merchant}',
    tag: 'Merchants',
    summary: 'Create a merchant, or give it exactly these settings',
    description:
      'A setting that is absent is removed. If nothing changes, nothing is written and nothing is recorded in the audit log.',
    input: { merchant, allowsNearName, ...settings },
    example: { merchant: 'Ribeira Books', ...settingsExample },
    answer: 'ChangedMerchant',
    creates: 'maybe',
    async run({ merchants }, by, { merchant: name, allowsNearName: isNear, ...given }) {
      if (!isNear) await demandOtherName(merchants, 'merchant', name);
      const { owner, ...put } = await merchants.put(by, { name, allowsNearName: true, ...toDefaults(given) });
      return { ...owner, ...put };
    },
  }),

  changeMerchant: operation({
    method: 'PATCH',
    path: '/api/merchants/{merchant}',
    tag: 'Merchants',
    summary: 'Change settings of a merchant',
    description: 'A setting that is absent stays as it is. Null removes a setting.',
    input: { merchant, ...settings },
    example: { merchant: 'Ribeira Books', email: 'ana@shop.example', colour: null },
    answer: 'ChangedMerchant',
    async run({ merchants }, by, { merchant: name, ...given }) {
      const { owner, warnings } = await merchants.change(by, name, toDefaults(given));
      return { ...owner, warnings, isNew: false };
    },
  }),

  removeMerchant: operation({
    method: 'DELETE',
    path: '/api/merchants/{merchant}',
    tag: 'Merchants',
    summary: 'Remove a merchant without payments',
    description: 'Its keys and portal links are revoked. A new key for the same name restores it with its settings.',
    input: { merchant },
    example: { merchant: 'Ribeira Books' },
    answer: 'RemovedMerchant',
    async run(services, by, { merchant: name }) {
      const { id } = await demandOwner(services, name);
      await services.merchants.remove(by, name);
      return { id, name };
    },
  }),

  rotateWebhookSecret: operation({
    method: 'POST',
    path: '/api/merchants/{merchant}/webhook-secrets/rotate',
    tag: 'Merchants',
    summary: 'Replace a webhook secret',
    description: 'Both secrets sign during the overlap. Each call makes another secret: repeat it only on purpose.',
    input: { merchant, environment, overlapHours },
    example: { merchant: 'Ribeira Books', environment: 'test', overlapHours: 24 },
    answer: 'RotatedSecret',
    run: async ({ merchants }, by, { merchant: name, environment: mode, overlapHours: hours }) =>
      merchants.rotateSecret(by, name, mode, hours === undefined ? undefined : { overlapHours: hours }),
  }),
};

export const portalOperations = {
  listPortalLinks: operation({
    method: 'GET',
    path: '/api/portal-links',
    tag: 'Portal links',
    summary: 'List portal links, newest first, without the links themselves',
    input: { merchant: v.optional(merchant), ...pageInput },
    answer: 'PortalLinkList',
    async run(services, _, { merchant: name, ...page }) {
      const only = name === undefined ? undefined : (await demandOwner(services, name)).id;
      const names = new Map((await services.owners.list()).map((owner) => [owner.id, owner.name]));
      const { items, nextCursor } = pageOf(await services.merchants.portal.list(only), ({ id }) => id, page);
      return { items: items.map((link) => ({ ...link, owner: names.get(link.ownerId) ?? '' })), nextCursor };
    },
  }),

  createPortalLink: operation({
    method: 'POST',
    path: '/api/portal-links',
    tag: 'Portal links',
    summary: "Create a link that opens a merchant's portal for an hour",
    description: 'Anyone who has the link can open the portal. The link is in this answer only.',
    input: {
      merchant,
      environment,
      allowsRotation: v.optional(flag('Allow changes: the default address, the types, and the webhook secret.')),
    },
    example: { merchant: 'Ribeira Books', environment: 'test' },
    answer: 'CreatedPortalLink',
    creates: 'always',
    async run(services, by, { merchant: name, environment: mode, allowsRotation = false }) {
      const { id } = await demandOwner(services, name);
      return services.merchants.portal.create(by, { owner: { id, name }, environment: mode, allowsRotation });
    },
  }),

  revokePortalLink: operation({
    method: 'DELETE',
    path: '/api/portal-links/{linkId}',
    tag: 'Portal links',
    summary: 'Revoke a portal link',
    description: 'Takes effect within 2 s.',
    input: { linkId: text('The id of the link: `plink_` and 16 hex digits.', { max: 200 }) },
    example: { linkId: 'plink_0123456789abcdef' },
    answer: 'RevokedPortalLink',
    async run({ merchants }, by, { linkId: id }) {
      await merchants.portal.revoke(by, id);
      return { id };
    },
  }),
};

export const keyOperations = {
  listKeys: operation({
    method: 'GET',
    path: '/api/keys',
    tag: 'Keys',
    summary: 'List API keys, oldest first, without the keys themselves',
    input: { merchant: v.optional(merchant), ...pageInput },
    answer: 'KeyList',
    run: async ({ keys }, _, { merchant: owner, ...page }) =>
      pageOf(await keys.list({ owner }), ({ keyId: id }) => id, page),
  }),

  createKey: operation({
    method: 'POST',
    path: '/api/keys',
    tag: 'Keys',
    summary: 'Create an API key, and its merchant if the name is new',
    description:
      'The key is in this answer only. If the answer is lost, revoke the key that was never used and create another.',
    input: {
      merchant,
      environment: choice('A test key or a live key.', ['sandbox', 'production']),
      scopes: v.optional(list('The permissions. Absent: all except admin.', text('A scope.', { max: 100 }))),
      limit: v.optional(number('Requests per minute. Absent: the limit of the config.', { min: 1, max: 1_000_000 })),
      expiresAt: v.optional(time('When the key expires. Absent: never.')),
      allowsNearName,
    },
    example: { merchant: 'Ribeira Books', environment: 'sandbox' },
    answer: 'CreatedKey',
    creates: 'always',
    async run({ merchants, config }, by, { merchant: owner, allowsNearName: isNear, ...key }) {
      if (!isNear) await demandOtherName(merchants, 'merchant', owner);
      const created = await merchants.createKey(by, { owner, ...key });
      const isUseless = toEnvironment(key.environment) === 'live' && !config.keys.liveKeys;
      const warnings = isUseless ? ['Live keys are not accepted in this environment: keys.liveKeys is false.'] : [];
      return { ...created, warnings };
    },
  }),

  getKey: operation({
    method: 'GET',
    path: '/api/keys/{keyId}',
    tag: 'Keys',
    summary: 'Read an API key, without the key itself',
    input: { keyId },
    example: { keyId: 'key_0123456789abcdef' },
    answer: 'Key',
    run: async ({ keys }, _, { keyId: id }) => keys.get(id),
  }),

  limitKey: operation({
    method: 'PATCH',
    path: '/api/keys/{keyId}',
    tag: 'Keys',
    summary: 'Set the rate limit of an API key',
    description: 'Takes effect within 2 s.',
    input: { keyId, limit: number('Requests per minute.', { min: 1, max: 1_000_000 }) },
    example: { keyId: 'key_0123456789abcdef', limit: 600 },
    answer: 'Key',
    async run({ merchants, keys }, by, { keyId: id, limit }) {
      const before = await keys.get(id);
      if (before.limit === limit) return before;
      await merchants.limitKey(by, id, limit);
      return keys.get(id);
    },
  }),

  revokeKey: operation({
    method: 'DELETE',
    path: '/api/keys/{keyId}',
    tag: 'Keys',
    summary: 'Revoke an API key permanently',
    description: 'Takes effect within 2 s. A repetition changes nothing.',
    input: { keyId },
    example: { keyId: 'key_0123456789abcdef' },
    answer: 'Key',
    async run({ merchants, keys }, by, { keyId: id }) {
      const before = await keys.get(id);
      if (before.state === 'revoked') return before;
      await merchants.revokeKey(by, id);
      return keys.get(id);
    },
  }),

  rotateKey: operation({
    method: 'POST',
    path: '/api/keys/{keyId}/rotate',
    tag: 'Keys',
    summary: 'Replace an API key with a new key with the same settings',
    description: 'The new key is in this answer only. A key that was rotated is not rotated again.',
    input: { keyId, overlapHours },
    example: { keyId: 'key_0123456789abcdef', overlapHours: 24 },
    answer: 'RotatedKey',
    creates: 'always',
    run: async ({ merchants }, by, { keyId: id, overlapHours: hours }) =>
      merchants.rotateKey(by, id, hours === undefined ? undefined : { overlapHours: hours }),
  }),
};

const origin = text('Scheme, host and port of the address, such as `https://shop.example`.');

async function endpointOf(
  services: ManagementServices,
  {
    merchant: name,
    environment: mode,
    origin: given,
  }: Record<'merchant' | 'origin', string> & {
    readonly environment: 'test' | 'live';
  },
) {
  if (!URL.canParse(given) || new URL(given).origin !== given)
    throw invalidField('origin', given, 'must be an origin such as https://shop.example, without a path');
  return { owner: await demandOwner(services, name), environment: mode, origin: given };
}

const endpointExample = { merchant: 'Ribeira Books', environment: 'test', origin: 'https://shop.example' };

export const endpointOperations = {
  listEndpoints: operation({
    method: 'GET',
    path: '/api/endpoints',
    tag: 'Endpoints',
    summary: 'List addresses where notifications fail, longest failing first',
    description: 'The default addresses are settings of the merchant.',
    input: { merchant: v.optional(merchant), ...pageInput },
    answer: 'EndpointList',
    async run(services, _, { merchant: name, ...page }) {
      const only = name === undefined ? undefined : (await demandOwner(services, name)).id;
      const names = new Map((await services.owners.list()).map((owner) => [owner.id, owner.name]));
      const { items, nextCursor } = pageOf(await services.failingEndpoints(only), idOfEndpoint, page);
      return { items: items.map((one) => ({ ...one, owner: names.get(one.ownerId) ?? '' })), nextCursor };
    },
  }),

  enableEndpoint: operation({
    method: 'POST',
    path: '/api/endpoints/enable',
    tag: 'Endpoints',
    summary: 'Enable a disabled address, and send all notifications that were kept for it',
    description: 'Does nothing for an address that does not fail.',
    input: { merchant, environment, origin, reason },
    example: { ...endpointExample, reason: 'the shop is back' },
    answer: 'EnabledEndpoint',
    async run(services, by, { reason: why, ...given }) {
      const endpoint = await endpointOf(services, given);
      const failing = await services.failingEndpoints(endpoint.owner.id);
      const isFailing = failing.some(
        (one) => idOfEndpoint(one) === idOfEndpoint({ ownerId: endpoint.owner.id, ...endpoint }),
      );
      const sentAgain = isFailing ? ((await services.merchants.enable(by, endpoint, why)) ?? 0) : 0;
      return { origin: endpoint.origin, environment: endpoint.environment, sentAgain };
    },
  }),

  disableEndpoint: operation({
    method: 'POST',
    path: '/api/endpoints/disable',
    tag: 'Endpoints',
    summary: 'Stop notifications to an address of a merchant',
    description: 'Within 30 s, only test events are sent there. Other notifications are kept.',
    input: { merchant, environment, origin, reason },
    example: { ...endpointExample, reason: 'the shop moves' },
    answer: 'DisabledEndpoint',
    async run(services, by, { reason: why, ...given }) {
      const endpoint = await endpointOf(services, given);
      const isDone = await services.merchants.disable(by, endpoint, why);
      return { origin: endpoint.origin, environment: endpoint.environment, isDone };
    },
  }),

  testEndpoint: operation({
    method: 'POST',
    path: '/api/endpoints/test',
    tag: 'Endpoints',
    summary: 'Send a test event to an address, and wait up to a minute for its answer',
    description: 'A delivery enables a disabled address.',
    input: { merchant, environment, url: v.optional(text('Absent: the default address of the merchant.')) },
    example: { merchant: 'Ribeira Books', environment: 'test' },
    answer: 'TestedEndpoint',
    async run(services, by, { merchant: name, environment: mode, url: given }) {
      const owner = await demandOwner(services, name);
      const url = given ?? owner.notifyUrls[mode];
      if (url === null)
        throw invalidField('url', null, `must be given: ${name} has no default address for ${mode} events`);
      if (!URL.canParse(url)) throw invalidField('url', url, 'must be an address such as https://shop.example/hook');
      return testAddress(services, by, { owner, environment: mode, url });
    },
  }),
};

async function testAddress(
  { merchants }: ManagementServices,
  by: Actor,
  target: { readonly owner: Owner; readonly environment: 'test' | 'live'; readonly url: string },
) {
  const { isDelivered, attempt = null } = await merchants.test(by, target, testLimitMs);
  return { url: target.url, isDelivered, attempt };
}

function idOfEndpoint({
  ownerId,
  environment: mode,
  origin: at,
}: Pick<Endpoint, 'ownerId' | 'environment' | 'origin'>) {
  return endpointId(ownerId, mode, at);
}
