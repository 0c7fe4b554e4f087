/** The payments domain: built here from what other domains offer, and used as one object. */
import type { Clear, Raise } from '../alarms/index.ts';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Owner, Owners } from '../access/index.ts';
import type { BackgroundTasks } from '../../base/async/background-tasks.ts';
import type { Attempt } from '../../database/collections/attempt.ts';
import { createIdBlocks } from '../../database/collections/counter.ts';
import type { PaymentRecord } from '../../database/collections/payment-request.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { createReturnAddresses } from './return-address.ts';
import type { Mailer } from '../../base/net/mail.ts';
import { renderBody } from '../notifications/body.ts';
import { streamOnly, type Notifications } from '../notifications/index.ts';
import type { ProviderCalls } from '../providers/calls.ts';
import type { Registry } from '../providers/registry.ts';
import { openCurrencies, type PaymentsConfig } from './config.ts';
import type { PaymentsDeps } from './deps.ts';
import { createCountChanges } from './store/count-changes.ts';
import { createExpiry, type Expiry } from './expiry.ts';
import { createLinkMail } from './link-mail.ts';
import { createPaymentRequests } from './commands/create.ts';
import { createPaymentAlarms } from './store/raise-alarms.ts';
import { createListing } from './read/list.ts';
import { toMerchant } from './present/merchant.ts';
import { createPayPage } from './read/pay-page.ts';
import { reportPayments } from './read/report.ts';
import { createTimeline } from './read/timeline.ts';
import { createViews } from './present/view.ts';
import { createReconciler, type Reconciler } from './reconcile/reconcile.ts';
import { createDelayOf, nextCheckAt } from './reconcile/schedule.ts';
import { createRefunds } from './commands/refund.ts';
import type { Merchant } from './types/pay-page.ts';
import type { Payments } from './service.ts';
import { createFeeOf } from './state/fee.ts';
import { createApplyEvents, type ApplyEvents } from './store/apply-event-batch.ts';
import { createReadChangeClients } from './store/change-clients.ts';
import { createClients } from './clients/clients.ts';
import { createInlineDepositCount } from './clients/inline-deposit-count.ts';
import { createDepositCounting, type DepositCounting } from './clients/count-deposits.ts';
import { createNewRecords } from './store/new-record.ts';
import { createRelay, type Relay } from './store/outbox.ts';
import { createChangeMany } from './store/change-many.ts';
import { createPaymentStore, type PaymentStore, type StoreDeps } from './store/payment-store.ts';
import { createAnswers } from './present/answer.ts';
import { createCancelling } from './commands/cancel.ts';
import { createCapturing } from './commands/capture.ts';
import { createContinuing } from './commands/confirm.ts';
import { createPaying } from './commands/pay.ts';
import { createRisk } from './submit/risk.ts';
import { createPayerWays } from './submit/payer-ways.ts';
import { createRouting } from './submit/routing.ts';
import { createSubmitter } from './submit/submit.ts';

export type { PaymentsConfig } from './config.ts';
export { createReturnAddresses, type ReturnAddresses } from './return-address.ts';
export { otherMode } from './state/apply-event.ts';
export { ourError, type AppliedEvent, type WaitingEvent } from './state/apply-events.ts';
export type { AppliedBatch, ApplyEvents } from './store/apply-event-batch.ts';
export { acknowledgeThreeDs, readThreeDs, threeDsRoute, type ReadThreeDs } from './three-ds/read-three-ds.ts';
export type { ThreeDsOptions } from './three-ds/token.ts';
export { rebuildDepositsBy } from './store/rebuild-deposits-by.ts';
export type { CorrectedClient } from './clients/rebuild.ts';
export {
  createPaymentActions,
  createPaymentChecks,
  createPaymentReviews,
  type PaymentActions,
  type PaymentChecks,
  type PaymentReviews,
} from './actions.ts';
export { createDueChecks, type DueCheck, type ListDueChecks } from './read/due-checks.ts';
export { paymentHistoryOf, paymentWayText, type HistoryEntry } from './read/payment-history.ts';
export { createPaymentSearch, type FoundPayment, type PaymentSearch, type SearchPayments } from './read/search.ts';
export {
  createPaymentDetails,
  type NextAction,
  type NextStep,
  type PaymentDetails,
  type ReadPaymentDetails,
  type AttemptDetails,
  type ChargeDetails,
} from './read/payment-details.ts';
export { statusIdOf, statusLabels } from './record/status-label.ts';

export interface PaymentsSetup {
  readonly connection: Connection;
  readonly registry: Registry;
  readonly calls: ProviderCalls;
  readonly owners: Pick<Owners, 'get'>;
  readonly notifications: Pick<Notifications, 'insert' | 'insertWith' | 'forPayment' | 'refusalOf'>;
  readonly encrypter: Encrypter;
  readonly mailer: Mailer | undefined;
  readonly backgroundTasks: BackgroundTasks;
  readonly notifyWorkers: (work: 'reconcile' | 'notifications') => void;
  /** Names this process in leases. */
  readonly worker: string;
  readonly config: PaymentsConfig;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly clear: Clear;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface PaymentsDomain {
  /** For `http`. */
  readonly service: Payments;
  readonly reports: { readonly payments: ReturnType<typeof reportPayments> };
  readonly store: PaymentStore;
  /** For the callbacks: their events become facts of payments. */
  readonly applyEvents: ApplyEvents;
  /** For the jobs. */
  readonly reconciler: Reconciler;
  readonly outbox: Relay;
  readonly deposits: DepositCounting;
  readonly expiry: Expiry;
}

export function createPayments(setup: PaymentsSetup): PaymentsDomain {
  const { connection, registry, calls, owners, notifications, encrypter, backgroundTasks, notifyWorkers } = setup;
  const { config, worker, now, raise, metrics, log } = setup;
  const { publicUrl, threeDs, callTimeoutMs, payments } = config;
  const merchantOf = async (ownerId: number): Promise<Merchant> => toMerchant(await owners.get(ownerId));
  const urlOf = async ({ notifyUrl, ownerId, environment }: PaymentRecord): Promise<string | null> =>
    notifyUrl ?? addressOf(await owners.get(ownerId), environment, now());

  const clients = createClients({
    connection,
    ids: createIdBlocks(connection, 'client', 100, () => 1),
    reportingCurrency: payments.reportingCurrency,
    exchangeRates: payments.exchangeRates,
    now,
  });
  const views = createViews({ clients, ownerOf: async (id) => owners.get(id), publicUrl });
  const outbox = createRelay({
    connection,
    urlOf,
    now,
    insert: async (entries) => {
      await notifications.insert(entries);
    },
  });
  const delayOf = createDelayOf({ registry, calls, encrypter, now });
  const refundsDouble = ({ adapter }: Attempt): boolean =>
    payments.refundDoubleCharge && registry.byName(adapter)?.adapter.refund !== undefined;
  const raiseAlarms = createPaymentAlarms(setup);
  const countChanges = createCountChanges(metrics);
  const storeDeps: StoreDeps = {
    connection,
    now,
    renderBody: async (record, type, sequence, at, before) =>
      renderBody(await views.present(record, before), type, sequence, at, record.environment),
    async wantedTypes(record, types) {
      if ((await urlOf(record)) === null) return [];
      const chosen = (await owners.get(record.ownerId))?.notificationTypes;
      return chosen ? types.filter((type) => chosen.includes(type)) : types;
    },
    firstTimeType: async (record) => (await clients.firstTimeTypes([record]))[0]!,
    nextCheckAt: (record, at) => nextCheckAt(record, { delayOf, refundsDouble, ...payments }, at),
    onStored: (record, before) => {
      countChanges(record, before);
      raiseAlarms(record, before);
      if (record.outbox.length)
        backgroundTasks.track('an outbox could not be relayed; the sweep will', outbox.relay(record));
      if (record.nextCheckAt && record.nextCheckAt <= now()) notifyWorkers('reconcile');
    },
  };
  const store = createPaymentStore(storeDeps, metrics);
  const readClients = createReadChangeClients(clients, createInlineDepositCount(connection));
  const changeMany = createChangeMany({
    ...storeDeps,
    readWithClient: async (id) => clients.withPayment(id),
    async contextOf(...given) {
      const { clients: known, ...counting } = await readClients(...given);
      const present = views.presenterOf(known);
      return {
        ...counting,
        renderBody: async (record, type, sequence, at, before) =>
          renderBody(await present(record, before), type, sequence, at, record.environment),
      };
    },
    urlOf,
    insertNotifications: notifications.insertWith,
  });

  const opened = openCurrencies(config);
  const routing = { rules: config.routes, registry, openCurrencies: opened, calls };
  const feeOf = createFeeOf(config.adapters);
  const deps: PaymentsDeps = {
    store,
    ids: createIdBlocks(connection, 'paymentRequest', 1000, () => Date.now()),
    clients,
    views,
    registry,
    calls,
    routing: createRouting(routing),
    payerWays: createPayerWays({ ...routing, risk: config.risk }),
    risk: createRisk({ connection, rules: config.risk, encrypter, now }),
    linkMail: createLinkMail(setup.mailer, views, merchantOf, publicUrl),
    backgroundTasks,
    encrypter,
    returnAddresses: createReturnAddresses(encrypter, publicUrl),
    refusalOfUrl: (url) => notifications.refusalOf(url),
    merchantOf,
    feeOf,
    delayOf,
    refundsDouble,
    config: {
      threeDs,
      callTimeoutMs,
      openCurrencies: opened,
      premiumCardBins: payments.premiumCardBins,
      nothingChargedAfterSeconds: payments.nothingChargedAfterSeconds,
      expireCreatedAfterHours: payments.expireCreatedAfterHours,
    },
    now,
    raise,
    metrics,
    log,
  };
  const records = createNewRecords(deps);
  const submitter = createSubmitter(deps);
  const answers = createAnswers(views, submitter.readAction);
  const timelineOf = createTimeline({ connection, notificationsOf: async (id) => notifications.forPayment(id) });
  const { load, ...requests } = createPaymentRequests({ ...deps, records, answers });

  return {
    service: {
      ...requests,
      ...createPaying({ ...deps, submitter, answers, records, load }),
      ...createContinuing({ ...deps, submitter, answers, load }),
      ...createCapturing({ ...deps, answers, load }),
      ...createCancelling({ ...deps, answers, load }),
      ...createPayPage(deps, submitter),
      ...createRefunds({ ...deps, answers, load }),
      ...createListing({ connection, views, load, timelineOf }),
    },
    reports: { payments: reportPayments(connection) },
    store,
    applyEvents: createApplyEvents({ changeMany, feeOf, now }),
    reconciler: createReconciler({ ...deps, connection, submitter, worker }),
    outbox,
    deposits: createDepositCounting({ connection }),
    expiry: createExpiry({ ...deps, connection }),
  };
}

/** Null: nobody is to be notified. */
function addressOf(owner: Owner | undefined, environment: Environment, now: Date): string | null {
  const url = owner?.notifyUrls[environment] ?? null;
  const isListening = environment === 'test' && (owner?.listeningUntil ?? now) > now;
  return url ?? (isListening ? streamOnly : null);
}
