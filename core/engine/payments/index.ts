/** The payments domain: built here from what other domains offer, and used as one object. */
import { createIdBlocks } from '../../database/collections/counter.ts';
import { createClients } from './clients/clients.ts';
import { createDepositCounting } from './clients/count-deposits.ts';
import { openCurrencies } from './config.ts';
import type { PaymentsDeps } from './deps.ts';
import { createExpiry, type Expiry } from './expiry.ts';
import { createAnswers } from './present/answer.ts';
import { createReceiptMail } from './present/receipt-mail.ts';
import { createLinkMail } from './present/link-mail.ts';
import { toMerchant } from './present/merchant.ts';
import { createReturnAddresses } from './present/return-address.ts';
import { createViews } from './present/view.ts';
import { reportPayments } from './read/report.ts';
import { createCatchingUp, type CatchingUp } from './reconcile/catch-up.ts';
import { createReconciler, type Reconciler } from './reconcile/reconcile.ts';
import { createReplacing } from './reconcile/replacing.ts';
import { createSchedule } from './reconcile/schedule.ts';
import { createService, type Payments } from './service.ts';
import { createFeeOf } from './state/fee.ts';
import type { ApplyEvents } from './store/apply-event-batch.ts';
import { createNewRecords } from './store/new-record.ts';
import type { Relay } from './store/outbox.ts';
import type { PaymentStore } from './store/payment-store.ts';
import { createStorage } from './store/storage.ts';
import { createAttempts } from './submit/open-attempt.ts';
import { createPayerWays } from './submit/payer-ways.ts';
import { createReadProviderAccount, type AccountUserOf } from './submit/provider-account.ts';
import { createRisk } from './submit/risk.ts';
import { createRouting } from './submit/routing.ts';
import { createSubmitter } from './submit/submit.ts';

export { createReadAttention, type PaymentAttention, type ReadAttention } from './read/attention.ts';
export { countVolumes, readVolumes, slotMs, sumVolumes, type Volumes, type VolumeSum } from './read/volumes.ts';
export type { PaymentsConfig } from './config.ts';
export type { PaymentsDeps } from './deps.ts';
export { createReturnAddresses, type ReturnAddresses } from './present/return-address.ts';
export { endSilence, noteSilence, requestCatchUp } from './reconcile/request-catch-up.ts';
export { otherAccount, otherMode } from './state/apply-event.ts';
export { ourError, type AppliedEvent, type WaitingEvent } from './state/apply-events.ts';
export type { AppliedBatch, ApplyEvents } from './store/apply-event-batch.ts';
export { acknowledgeThreeDs, readThreeDs, threeDsRoute, type ReadThreeDs } from './three-ds/read-three-ds.ts';
export type { ThreeDsOptions } from './three-ds/token.ts';
export { rebuildDepositsBy, type CorrectedClient } from './clients/rebuild.ts';
export { withSearchMembers } from './store/search-members.ts';
export * from './operators.ts';

export interface PaymentsDomain {
  readonly service: Payments;
  readonly reports: { readonly payments: ReturnType<typeof reportPayments> };
  readonly store: PaymentStore;
  /** For the callbacks: their events become facts of payments. */
  readonly applyEvents: ApplyEvents;
  /** For the jobs. */
  readonly reconciler: Reconciler;
  readonly catchingUp: CatchingUp;
  readonly outbox: Relay;
  readonly expiry: Expiry;
}

export function createPayments(given: PaymentsDeps): PaymentsDomain {
  const { connection, registry, calls, owners, notifications, encrypter, mailer, now } = given;
  const { publicUrl, threeDs, callTimeoutMs, payments, routes: rules, risk, adapters, http } = given.config;
  const config = { ...payments, threeDs, callTimeoutMs, openCurrencies: openCurrencies(given.config) };
  const merchantOf = async (ownerId: number) => toMerchant(await owners.get(ownerId));

  const clientIds = createIdBlocks(connection, 'client', 100, () => 1);
  const { countSoon: onManyDue } = createDepositCounting(given);
  const clients = createClients({ ...payments, connection, ids: clientIds, onManyDue, now });
  const views = createViews({ clients, ownerOf: async (id) => owners.get(id), publicUrl });
  const feeOf = createFeeOf(adapters, (ref) => registry.byName(ref));
  const schedule = createSchedule({ registry, calls, encrypter, now }, payments);
  const mailReceipt = createReceiptMail({ ...given, views, merchantOf, publicUrl });
  const { store, outbox, applyEvents } = createStorage({ ...given, ...schedule, clients, views, feeOf, mailReceipt });

  const ids = createIdBlocks(connection, 'paymentRequest', 1000, () => Date.now());
  const deps = { ...given, ...schedule, config, store, ids, clients, views, feeOf, merchantOf };
  const userOf: AccountUserOf = async (ownerId) => owners.get(ownerId);
  const readProviderAccount = createReadProviderAccount(registry);
  const { openCurrencies: open } = config;
  const routing = { rules, registry, openCurrencies: open, calls, refusesCards: http?.refuseCardNumbers };
  const submitter = createSubmitter(deps);
  return {
    service: createService({
      ...deps,
      userOf,
      readProviderAccount,
      submitter,
      replacing: createReplacing({ ...deps, readAction: submitter.readAction }),
      routing: createRouting(routing),
      payerWays: createPayerWays({ ...routing, risk }),
      risk: createRisk({ connection, rules: risk, encrypter, now }),
      records: createNewRecords(deps),
      attempts: createAttempts(deps),
      answers: createAnswers(views, submitter.readAction),
      linkMail: createLinkMail(mailer, views, merchantOf, publicUrl),
      returnAddresses: createReturnAddresses(encrypter, publicUrl),
      refusalOfUrl: (url) => notifications.refusalOf(url),
      notificationsOf: async (id) => notifications.forPayment(id),
    }),
    reports: { payments: reportPayments(connection) },
    store,
    applyEvents,
    reconciler: createReconciler({ ...deps, submitter }),
    catchingUp: createCatchingUp(deps),
    outbox,
    expiry: createExpiry(deps),
  };
}
