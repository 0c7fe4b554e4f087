/**
 * Everything that operators do to a merchant, for the console and for the commands: its settings, keys, secrets,
 * endpoints, brand and portal links. Each action is audited. A merchant is called owner in stored documents.
 */
import { defined, isCurrency } from '@paywright/contract';
import type { Connection } from 'mongoose';
import { paymentRequestModel } from '../../database/collections/payment-request.ts';
import type { AttemptRecord } from '../../database/collections/notification.ts';
import type { Environment } from '../../base/environment.ts';
import { invalidField, notFound } from '../../base/errors.ts';
import {
  changedDefaults,
  checkDefaults,
  checkOwnerName,
  createAccessActions,
  createPortalLinkActions,
  hasDefaults,
  noDefaults,
  removedOwner,
  type AccessActions,
  type AccessDomain,
  type CreatedPortalLink,
  type NewPortalLink,
  type Owner,
  type OwnerDefaults,
  type PortalLinkActions,
  type PortalLinks,
} from '../access/index.ts';
import type { Actor, Audit } from '../audit/index.ts';
import {
  createEndpointActions,
  readEndpointHealth,
  type EndpointActions,
  type EndpointAddress,
  type EndpointHealth,
  type Notifications,
} from '../notifications/index.ts';
import { listMerchants, type MerchantSummary } from './merchant-list.ts';
import { nearNameOf } from './near-name.ts';
import { awaitTestAnswer } from './test-answer.ts';

export type { MerchantSummary } from './merchant-list.ts';
export { nearNameOf } from './near-name.ts';

export interface NewMerchant extends OwnerDefaults {
  readonly name: string;
  /** Creates the merchant although its name is close to the name of another one. */
  readonly allowsNearName?: boolean | undefined;
}

export interface ChangedMerchant {
  readonly owner: Owner;
  /** What will not work as the operator may expect, in whole sentences. */
  readonly warnings: readonly string[];
}

export interface MerchantEndpoint extends EndpointHealth {
  readonly environment: Environment;
  /** Receives notifications of payments that name no address. */
  readonly isDefault: boolean;
}

export interface TestedEndpoint {
  /** The id of the notification. */
  readonly id: string;
  readonly isDelivered: boolean;
  /** Undefined: no worker has sent the event yet. It is due, and is sent when a worker runs. */
  readonly attempt: AttemptRecord | undefined;
}

export interface Merchants
  extends
    Pick<AccessActions, 'createKey' | 'limitKey' | 'revokeKey' | 'rotateKey' | 'rotateSecret'>,
    Pick<EndpointActions, 'enable' | 'disable'> {
  /** `pageOf` chooses a page of the merchants that were found. Absent: all. */
  list(text?: string, pageOf?: (found: readonly Owner[]) => readonly Owner[]): Promise<readonly MerchantSummary[]>;
  /** Throws NF001. */
  get(id: number): Promise<Owner>;
  /** The merchant that was probably meant by a new name. Undefined: none, or there is a merchant of this name. */
  nearName(name: string): Promise<string | undefined>;
  /** Throws VAL002 if the name is taken, or close to another one and that is not allowed. */
  create(by: Actor, merchant: NewMerchant): Promise<ChangedMerchant>;
  /**
   * Creates the merchant, or gives an existing one exactly these settings: an absent setting is removed. Throws like
   * `create` and `change`.
   */
  put(by: Actor, merchant: NewMerchant): Promise<ChangedMerchant & { readonly isNew: boolean }>;
  /**
   * Writes and records nothing if the settings are those of the merchant already. Throws NF001 for an unknown merchant,
   * and VAL002 for a setting that is not valid.
   */
  change(by: Actor, name: string, settings: OwnerDefaults): Promise<ChangedMerchant>;
  /**
   * Revokes the keys and portal links of a merchant without payments, and hides it. A new key for its name restores it.
   * Throws NF001 for an unknown merchant, and VAL002 if it has payments.
   */
  remove(by: Actor, name: string): Promise<void>;
  /** The default addresses, and those of the latest notifications, in both modes. */
  endpoints(owner: Pick<Owner, 'id' | 'notifyUrls'>): Promise<readonly MerchantEndpoint[]>;
  /** Sends a test event, and waits up to `limitMs` for its answer. Throws VAL002 if nothing is sent to the address. */
  test(by: Actor, address: EndpointAddress, limitMs: number): Promise<TestedEndpoint>;
  readonly portal: PortalLinkActions & Pick<PortalLinks, 'get' | 'list'>;
}

export interface MerchantsDeps {
  readonly connection: Connection;
  readonly access: Pick<AccessDomain, 'owners' | 'keys' | 'operators'>;
  readonly portalLinks: PortalLinks;
  readonly audit: Pick<Audit, 'run'>;
  /** Absent: the worker that delivers a test event finds it without being notified. */
  readonly notifications?: Pick<Notifications, 'insert' | 'refusalOf'>;
  /** Why nothing is sent to an address. Undefined: it may receive notifications. */
  readonly refusalOf: (url: string) => string | undefined;
  readonly money: { readonly reportingCurrency: string; readonly exchangeRates: Readonly<Record<string, unknown>> };
  readonly now: () => Date;
}

/** The health of endpoints is computed from this many of the latest notifications of each mode. */
const healthSample = 100;

export function createMerchants(deps: MerchantsDeps): Merchants {
  const { connection, access, portalLinks, audit, notifications, refusalOf, money, now } = deps;
  const { owners, keys } = access;
  const accessActions = createAccessActions({ ...access, audit });
  const endpointActions = createEndpointActions({ connection, audit, ...(notifications && { notifications }), now });
  const portalActions = createPortalLinkActions({ ...portalLinks, create: createLink }, audit);

  /** The removal of a merchant revokes the links that it finds. A link that was created after that revokes itself. */
  async function createLink(link: NewPortalLink, madeBy: string): Promise<CreatedPortalLink> {
    const made = await portalLinks.create(link, madeBy);
    if (await owners.isPresent(link.owner.id)) return made;
    await portalLinks.revoke(made.id);
    throw removedOwner('merchant');
  }

  /** Without a rate, amounts in every other currency would count as 0. */
  function checkCurrency({ reportingCurrency: currency }: OwnerDefaults): void {
    if (
      !currency ||
      !isCurrency(currency) ||
      currency === money.reportingCurrency ||
      money.exchangeRates[currency] !== undefined
    )
      return;
    throw invalidField(
      'currency',
      currency,
      `the config has no rate for ${currency}: set payments.exchangeRates.${currency}`,
    );
  }

  function warningsOf({ notifyUrl, testNotifyUrl }: OwnerDefaults): string[] {
    return [notifyUrl, testNotifyUrl].flatMap((url) => {
      const refusal = url ? refusalOf(url) : undefined;
      return refusal === undefined ? [] : [`Notifications will not be sent to ${url}: ${refusal}.`];
    });
  }

  async function demandNoPayments({ id, name }: Owner): Promise<void> {
    if (await paymentRequestModel(connection).exists({ ownerId: id }))
      throw invalidField('merchant', name, 'has payments, and cannot be removed: revoke its keys instead');
  }

  async function create(
    by: Actor,
    { name, allowsNearName = false, ...settings }: NewMerchant,
  ): Promise<ChangedMerchant> {
    checkOwnerName(name, 'name');
    checkDefaults(settings);
    checkCurrency(settings);
    const taken = (): Error => invalidField('name', name, 'is the name of another merchant');
    if (await owners.find(name)) throw taken();
    const near = allowsNearName ? undefined : await nearNameOf(owners, name);
    if (near !== undefined) throw invalidField('name', name, `is close to the merchant "${near}"`);
    return audit.run(by, { act: 'owner.create', subject: { type: 'owner', id: name } }, async () => {
      // Another operator may have created the merchant since, with other settings.
      if (!(await owners.createNew(name))) throw taken();
      const owner = await owners.setDefaults(name, settings);
      const { after } = changedDefaults(undefined, owner);
      return { value: { owner, warnings: warningsOf(settings) }, after };
    });
  }

  async function change(by: Actor, name: string, settings: OwnerDefaults): Promise<ChangedMerchant> {
    checkCurrency(settings);
    const before = await owners.find(name);
    const isSame = before !== undefined && hasDefaults(before, settings);
    const owner = isSame ? before : await accessActions.setOwner(by, name, settings);
    return { owner, warnings: warningsOf(settings) };
  }

  return {
    ...accessActions,
    ...endpointActions,
    list: async (text, pageOf) => listMerchants({ connection, owners, now }, text, pageOf),

    async get(id) {
      const owner = await owners.get(id);
      const found = owner && (await owners.find(owner.name));
      if (!found) throw notFound('a merchant of this id');
      return found;
    },

    nearName: async (name) => nearNameOf(owners, name),

    create,
    change,

    async put(by, merchant) {
      const { name, allowsNearName, ...given } = merchant;
      const settings = { ...noDefaults, ...defined(given) };
      if (!(await owners.find(name))) {
        try {
          return { ...(await create(by, { name, allowsNearName, ...settings })), isNew: true };
        } catch (error) {
          // Another operator may have created the merchant in the meantime.
          if (!(await owners.find(name))) throw error;
        }
      }
      return { ...(await change(by, name, settings)), isNew: false };
    },

    async remove(by, name) {
      const owner = await owners.find(name);
      if (!owner) throw notFound(`merchant ${name}`);
      await demandNoPayments(owner);
      await audit.run(by, { act: 'owner.remove', subject: { type: 'owner', id: name } }, async () => {
        const counts = { keysRevoked: 0, linksRevoked: 0 };
        await owners.remove(name, async (removed) => {
          const active = (await keys.list({ ownerId: removed.id })).filter(({ state }) => state === 'active');
          for (const { keyId } of active) await keys.revoke(keyId);
          counts.keysRevoked = active.length;
          const links = (await portalLinks.list(removed.id)).filter(({ state }) => state === 'active');
          for (const { id } of links) await portalLinks.revoke(id);
          counts.linksRevoked = links.length;
          // A payment that was created before its key was revoked keeps its merchant.
          await demandNoPayments(removed);
        });
        return { value: undefined, after: counts };
      });
    },

    async endpoints({ id: ownerId, notifyUrls }) {
      const each = (['live', 'test'] as const).map(async (environment) => {
        const url = notifyUrls[environment];
        const found = await readEndpointHealth(connection, { ownerId, environment }, url, healthSample);
        return found.map((one) => ({ ...one, environment, isDefault: one.url === url }));
      });
      return (await Promise.all(each)).flat();
    },

    async test(by, address, limitMs) {
      const id = await endpointActions.test(by, address);
      const attempt = await awaitTestAnswer(connection, id, limitMs);
      const status = attempt?.status ?? 0;
      return { id, attempt, isDelivered: status >= 200 && status < 300 };
    },

    portal: {
      ...portalActions,
      get: async (id) => portalLinks.get(id),
      list: async (ownerId) => portalLinks.list(ownerId),
    },
  };
}
