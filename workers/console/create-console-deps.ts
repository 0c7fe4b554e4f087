/** Collaborators of the operators' console: the same actions and queries that the commands use. */
import type { Logger } from 'pino';
import { createPortalLinks, createSavedFilters } from '../../core/engine/access/index.ts';
import { createMerchants } from '../../core/engine/merchants/index.ts';
import { createAlarmActions } from '../../core/engine/alarms/index.ts';
import { createAudit } from '../../core/engine/audit/index.ts';
import { createDeadLetters } from '../../core/engine/callbacks/dead-letters.ts';
import { listRefused, noteMissingCallbacks } from '../../core/engine/callbacks/index.ts';
import type { Rereading } from '../../core/engine/callbacks/reread.ts';
import type { Gateway } from '../../core/gateway.ts';
import { createJobTable } from '../../core/engine/jobs/index.ts';
import { createMigrations } from '../../core/engine/migrations/index.ts';
import {
  createNotificationActions,
  createNotificationFinder,
  createNotificationReads,
  createNotificationSearch,
  listEndpoints,
} from '../../core/engine/notifications/index.ts';
import {
  createAdapterReads,
  createReplays,
  createResends,
  createSettlementUploads,
  type OpsDeps,
  type RunReplay,
} from '../../core/console/index.ts';
import {
  askProvider,
  createAccountEvidence,
  createReportedIds,
  createAccounts,
  hasKnownFee,
  sidesOf,
  type AccountsDeps,
} from '../../core/engine/providers/index.ts';
import { createAdapterStateStore, type AdapterStateStore } from '../../core/engine/providers/states/adapter-states.ts';
import { turnAdapter } from '../../core/engine/providers/states/turn-adapter.ts';
import { openCurrencies } from '../../core/engine/payments/config.ts';
import { explainRoute } from '../../core/engine/payments/submit/explain-route.ts';
import {
  createDisputeList,
  createDueChecks,
  createNoRouteOf,
  createPaymentActions,
  createPaymentReviews,
  createPaymentSearch,
  createPaymentDetails,
} from '../../core/engine/payments/index.ts';
import { createSettlement, createSettlementReads, readExampleMapping } from '../../core/settlement/index.ts';

export interface CreateConsoleDeps {
  readonly run: AccountsDeps['run'];
  readonly rereading: Pick<Rereading, 'read'>;
  readonly runReplay: RunReplay;
  readonly log: Logger;
}

export function createConsoleDeps(
  gateway: Gateway,
  { run, rereading, runReplay, log }: CreateConsoleDeps,
): OpsDeps['console'] {
  const { config, connection, access, alarms, httpDeps, payments, providers } = gateway;
  const { isProduction } = run;
  const { encrypter, now } = httpDeps;
  const audit = createAudit({ connection, encrypter, now, log });
  const adapterStates = createAdapterStateStore(connection, now);
  const { publicUrl } = gateway.config.server;
  const portalLinks = createPortalLinks({ connection, encrypter, publicUrl, now, log });
  const reads = createNotificationReads(connection);
  const settlements = createSettlementReads(connection);
  const notifications = createNotificationActions({ connection, audit });
  const noRouteOf = createNoRouteOf(payments.service.whyUnpayable);
  const merchants = createMerchants({
    connection,
    access,
    audit,
    portalLinks,
    notifications: gateway.notifications,
    refusalOf: (url) => gateway.notifications.refusalOf(url),
    money: config.payments,
    now,
  });
  const accounts = createAccounts({ connection, encrypter, run, adapterStates, audit, now });
  const turn: OpsDeps['console']['turn'] = async (by, change) => turnAdapter({ adapterStates, audit }, by, change);
  const onSilence = async (name: string): Promise<void> => noteMissingCallbacks(connection, name, new Date());
  const evidence = createAccountEvidence(alarms);
  const keepReportedId = createReportedIds(connection, now);
  return {
    management: {
      rateLimiter: access.rateLimiter,
      facts: { http: httpDeps.config },
      services: {
        ...access,
        merchants,
        failingEndpoints: async (ownerId) => listEndpoints(connection, ownerId),
        accounts,
        adapterStates,
        turn,
        audit,
        config,
        demandComplete: async (adapter) => void (await accounts.load(adapter)),
        askProvider: async (active) =>
          askProvider(
            {
              config: config.provider,
              publicUrl,
              callbackSandbox: !config.keys.liveKeys,
              onSilence,
              evidence,
              keepReportedId,
            },
            active,
            sidesOf(active, config.keys),
          ),
        explainRoute: (question) =>
          explainRoute(
            {
              ...providers,
              rules: config.routes,
              openCurrencies: openCurrencies(config),
              refusesCards: config.http.refuseCardNumbers,
            },
            question,
          ),
      },
    },
    showsGallery: !isProduction,
    operators: access.operators,
    owners: access.owners,
    keys: access.keys,
    merchants,
    canUseLiveKeys: config.keys.liveKeys,
    settlementUploads: createSettlementUploads({
      settlement: createSettlement({
        connection,
        audit,
        alarms,
        now,
        keepDays: config.settlement.keepDays,
        hasFee: async (adapter, account) => hasKnownFee(connection, config, adapter, account),
      }),
      lastMapping: async (adapter) => settlements.lastMapping(adapter),
      exampleOf: readExampleMapping,
      log,
    }),
    idempotency: access.idempotency,
    adapterStates: { ...adapterStates, read: async () => withoutAccounts(await adapterStates.read()) },
    accounts,
    turn,
    encrypter,
    alarms,
    alarmActions: createAlarmActions({ alarms, audit }),
    audit,
    liveKeys: config.keys.liveKeys,
    searchPayments: createPaymentSearch(connection, { noRouteOf }),
    noRouteOf,
    listDisputes: createDisputeList(connection),
    savedFilters: createSavedFilters(connection),
    publicUrl,
    readPayment: createPaymentDetails({ connection, noRouteOf, notificationsOf: async (id) => reads.forPayment(id) }),
    dueChecks: createDueChecks(connection),
    payments: {
      ...createPaymentActions({ connection, audit, service: payments.service }),
      ...createPaymentReviews({ connection, audit, alarms }),
    },
    adapters: createAdapterReads({
      ...providers,
      config,
      isProduction,
      onSilence,
      evidence,
      keepReportedId,
    }),
    refusedCallbacks: async (adapter) => listRefused(connection, adapter),
    deadLetters: createDeadLetters({ connection, encrypter, audit, rereading, alarms, now }),
    searchNotifications: createNotificationSearch(connection),
    findNotification: createNotificationFinder(connection),
    notifications,
    replays: createReplays({ run: runReplay, audit, now, log }),
    resends: createResends({ notifications, now, log }),
    jobs: createJobTable({ connection, audit, now }),
    migrations: createMigrations({ connection, now }),
    settlements,
  };
}

/** The pages list adapters. The states of their further accounts are on the page of the adapter. */
function withoutAccounts({ version, states }: Awaited<ReturnType<AdapterStateStore['read']>>) {
  return { version, states: Object.fromEntries(Object.entries(states).filter(([ref]) => !ref.includes('/'))) };
}
