/**
 * The service behind the merchant's portal. A link shows the merchant's own payments, deliveries, endpoints and calls
 * in one mode, and allows harmless actions. Only an operator who may change the merchant can create a link that allows
 * changes: otherwise, everybody with a link could redirect the notifications. Each action is audited.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import {
  createAccessActions,
  createPortalLinks,
  type AccessDomain,
  type Owner,
  type PortalLink,
  type PortalLinks,
  type RotatedSecret,
} from '../engine/access/index.ts';
import { createAudit, type Actor } from '../engine/audit/index.ts';
import type { BackgroundTasks } from '../base/async/background-tasks.ts';
import type { Encrypter } from '../base/crypto/encryption.ts';
import { GatewayError, invalidField, notFound } from '../base/errors.ts';
import type { Metrics } from '../base/metrics/index.ts';
import {
  createEndpointActions,
  createNotificationActions,
  listEndpoints,
  readEndpointHealth,
  type Endpoint,
  type EndpointHealth,
  type NotificationQuery,
  type Notifications,
  type SentNotification,
} from '../engine/notifications/index.ts';
import {
  createNoRouteOf,
  createPaymentDetails,
  createPaymentSearch,
  type PaymentDetails,
  type PaymentSearch,
  type PaymentsDomain,
  type SearchPayments,
} from '../engine/payments/index.ts';
import { accountNameOf, mainAccount, parseAccountRef, type Registry } from '../engine/providers/index.ts';
import { createApiLog, type ApiLog } from './api-log.ts';

/** The link that a visitor shows, and the visitor's address. */
export interface Visitor {
  readonly link: PortalLink;
  readonly from: string;
}

export interface MerchantPayment extends PaymentDetails {
  /** The address at which the payer pays. Null: the payment can no longer be paid. */
  readonly payUrl: string | null;
}

export interface Portal extends Pick<PortalLinks, 'open' | 'active'> {
  /** Records the calls that the log shows. */
  readonly keepCall: ApiLog['keep'];
  /** Undefined if the owner no longer exists. */
  merchant(link: PortalLink): Promise<Owner | undefined>;
  deliveries(
    link: PortalLink,
    query: Omit<NotificationQuery, 'ownerId' | 'environment'>,
  ): ReturnType<Notifications['list']>;
  /** Throws NF001 if the owner has no notification with this id in this mode. */
  delivery(link: PortalLink, id: string): Promise<SentNotification>;
  endpoints(link: PortalLink): Promise<readonly EndpointHealth[]>;
  /** The endpoints that fail or are disabled. It reads no notifications, unlike `endpoints`. */
  failingEndpoints(link: PortalLink): Promise<readonly Endpoint[]>;
  /** The payments of the owner in the mode of the link, newest first. */
  payments(link: PortalLink, search: Omit<PaymentSearch, 'ownerId' | 'environment'>): ReturnType<SearchPayments>;
  /**
   * The accounts at providers that the owner may use, as `<adapter>/<account>`. Empty if they are the account `main` of
   * each provider: then there is nothing to tell apart.
   */
  accounts(link: PortalLink): Promise<readonly string[]>;
  /** Throws NF001 if the owner has no payment with this id in this mode. */
  payment(link: PortalLink, id: number): Promise<MerchantPayment>;
  calls(
    link: PortalLink,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): ReturnType<ApiLog['list']>;
  /**
   * Starts a new round of attempts immediately. Throws NF001 if the owner has no notification with this id in this
   * mode.
   */
  resend(visitor: Visitor, id: string): Promise<void>;
  /**
   * Sends a test event to the endpoint of this origin, and returns its id. Throws NF001 if no notifications go to the
   * origin.
   */
  test(visitor: Visitor, origin: string): Promise<string>;
  /**
   * Enables a failing endpoint, and sends everything that was kept for it. Throws NF001 if the origin has no failing
   * endpoint.
   */
  enable(visitor: Visitor, origin: string): Promise<void>;
  /** Throws AUTH002 if the link does not allow changes. */
  demandChanges(link: PortalLink): void;
  /** Only test events are sent to the endpoint until it is enabled. Throws like `demandChanges` and `test`. */
  disable(visitor: Visitor, origin: string): Promise<void>;
  /**
   * Sets the owner's default address in the mode of the link; null removes it. Throws like `demandChanges`, and VAL002
   * if nothing could be sent to the address.
   */
  setAddress(visitor: Visitor, url: string | null): Promise<void>;
  /**
   * Chooses the types of notifications, which are the same in both modes; null: all. Throws like `demandChanges`, and
   * AUTH002 for a link of test mode.
   */
  setTypes(visitor: Visitor, types: readonly string[] | null): Promise<void>;
  /** The present webhook secret. Throws like `demandChanges`. */
  showSecret(visitor: Visitor): Promise<string>;
  /** Throws like `demandChanges`. */
  rotateSecret(visitor: Visitor): Promise<RotatedSecret>;
}

export interface PortalDeps {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly access: Pick<AccessDomain, 'owners' | 'keys' | 'operators'>;
  readonly notifications: Pick<Notifications, 'list' | 'sent' | 'forPayment' | 'insert' | 'refusalOf'>;
  readonly payments: { readonly service: Pick<PaymentsDomain['service'], 'whyUnpayable'> };
  readonly registry: Pick<Registry, 'all' | 'accountsFor' | 'stateOf'>;
  /** Notifications are waiting to be delivered. */
  readonly notifyWorkers: (work: 'notifications') => void;
  readonly backgroundTasks: BackgroundTasks;
  readonly config: {
    readonly server: { readonly publicUrl: string };
    readonly keys: { readonly keepCallsDays: number };
  };
  readonly metrics: Pick<Metrics, 'depthOf'>;
  readonly now: () => Date;
  readonly log: Logger;
}

export function createPortal(deps: PortalDeps): Portal {
  const { connection, access, notifications, payments, registry, notifyWorkers, config, now } = deps;
  const { owners } = access;
  const links = createPortalLinks({ ...deps, publicUrl: config.server.publicUrl });
  const apiLog = createApiLog({ ...deps, keepDays: config.keys.keepCallsDays });
  const audit = createAudit(deps);
  const noRouteOf = createNoRouteOf(payments.service.whyUnpayable);
  const searchPayments = createPaymentSearch(connection, { now, noRouteOf });
  const notificationsOf = async (id: number): ReturnType<Notifications['forPayment']> => notifications.forPayment(id);
  const readPayment = createPaymentDetails({ connection, notificationsOf, noRouteOf });
  const notificationActions = createNotificationActions({ connection, audit });
  const endpointActions = createEndpointActions({ connection, audit, notifications, now });
  const accessActions = createAccessActions({ ...access, audit });

  const actorOf = ({ link, from }: Visitor): Actor => ({ type: 'portal', name: link.id, from });

  async function ownerOf({ ownerId }: PortalLink): Promise<Owner> {
    const owner = await owners.get(ownerId);
    if (!owner) throw notFound(`owner ${ownerId}`);
    return owner;
  }

  async function healthOf(link: PortalLink): Promise<readonly EndpointHealth[]> {
    return readEndpointHealth(connection, link, (await ownerOf(link)).notifyUrls[link.environment]);
  }

  async function endpointOf(link: PortalLink, origin: string): Promise<EndpointHealth> {
    const found = (await healthOf(link)).find((one) => one.origin === origin);
    if (!found) throw notFound('an endpoint with this origin');
    return found;
  }

  function demandChanges({ allowsRotation }: PortalLink): void {
    if (!allowsRotation) throw new GatewayError('FORBIDDEN', 'this link does not allow changes');
  }

  return {
    demandChanges,
    open: async (token) => links.open(token),
    active: async (id) => links.active(id),
    keepCall: (whose, call) => apiLog.keep(whose, call),
    merchant: async ({ ownerId }) => owners.get(ownerId),
    deliveries: async ({ ownerId, environment }, query) => notifications.list({ ...query, ownerId, environment }),
    delivery: async ({ ownerId, environment }, id) => notifications.sent({ ownerId, environment, id }),
    endpoints: healthOf,
    payments: async ({ ownerId, environment }, search) => searchPayments({ ...search, ownerId, environment }),

    async failingEndpoints({ ownerId, environment }) {
      return (await listEndpoints(connection, ownerId)).filter((one) => one.environment === environment);
    },

    async accounts(link) {
      const owner = await ownerOf(link);
      const refs = registry.all().flatMap(({ name }) => registry.accountsFor(name, owner));
      const names = refs.filter((ref) => registry.stateOf(ref) !== 'off').map(parseAccountRef);
      return names.some(({ account }) => account !== mainAccount) ? names.map(accountNameOf) : [];
    },

    async payment({ ownerId, environment }, id) {
      const payment = await readPayment(id);
      if (payment?.ownerId !== ownerId || payment.environment !== environment) throw notFound(`payment ${id}`);
      return { ...payment, payUrl: payment.payPath && `${config.server.publicUrl}${payment.payPath}` };
    },

    calls: async ({ ownerId, environment }, page) => apiLog.list({ ...page, ownerId, environment }),

    async resend(visitor, id) {
      const { ownerId, environment } = visitor.link;
      await notifications.sent({ ownerId, environment, id });
      await notificationActions.resend(actorOf(visitor), id);
      notifyWorkers('notifications');
    },

    async test(visitor, origin) {
      const owner = await ownerOf(visitor.link);
      const { url } = await endpointOf(visitor.link, origin);
      return endpointActions.test(actorOf(visitor), { owner, environment: visitor.link.environment, url });
    },

    async enable(visitor, origin) {
      const { link } = visitor;
      const { failingSince } = await endpointOf(link, origin);
      if (failingSince === null) throw notFound('a failing endpoint with this origin');
      const owner = await ownerOf(link);
      await endpointActions.enable(actorOf(visitor), { owner, environment: link.environment, origin });
      notifyWorkers('notifications');
    },

    async disable(visitor, origin) {
      const { link } = visitor;
      demandChanges(link);
      await endpointOf(link, origin);
      await endpointActions.disable(actorOf(visitor), {
        owner: await ownerOf(link),
        environment: link.environment,
        origin,
      });
    },

    async setAddress(visitor, url) {
      const { link } = visitor;
      demandChanges(link);
      const refusal = url === null ? undefined : notifications.refusalOf(url);
      if (refusal !== undefined) throw invalidField('url', url, `cannot receive notifications: ${refusal}`);
      const { name } = await ownerOf(link);
      const member = link.environment === 'live' ? 'notifyUrl' : 'testNotifyUrl';
      await accessActions.setOwner(actorOf(visitor), name, { [member]: url });
    },

    async setTypes(visitor, notificationTypes) {
      const { link } = visitor;
      demandChanges(link);
      if (link.environment === 'test')
        throw new GatewayError('FORBIDDEN', 'the types are the same in both modes: a link of live mode changes them');
      await accessActions.setOwner(actorOf(visitor), (await ownerOf(link)).name, { notificationTypes });
    },

    async showSecret(visitor) {
      const { link } = visitor;
      demandChanges(link);
      return accessActions.showSecret(actorOf(visitor), (await ownerOf(link)).name, link.environment);
    },

    async rotateSecret(visitor) {
      const { link } = visitor;
      demandChanges(link);
      return accessActions.rotateSecret(actorOf(visitor), (await ownerOf(link)).name, link.environment);
    },
  };
}
