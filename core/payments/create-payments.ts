/** The payments service: what merchants and payers do with payment requests. */
import { missingFields, notFound } from '../errors.ts';
import { notPayable, openAction, throwIfFailed } from './submit/answer.ts';
import { foldFacts } from './ask.ts';
import type { PaymentsDeps } from './deps.ts';
import { status, type PaymentRecord } from './facts.ts';
import { createListing, type ListingDeps } from './read/list.ts';
import { createNewRecords } from './store/new-record.ts';
import { createPaying } from './submit/pay.ts';
import { createPayPage } from './read/pay-page.ts';
import { createRefunds } from './refund/refund.ts';
import type { Caller, NewPaymentRequest, PaymentAnswer, Payments } from './service.ts';
import type { Submitter } from './submit/submit.ts';
import { withEffect } from './submit/three-ds-step.ts';

export function createPayments(deps: PaymentsDeps & ListingDeps, submitter: Submitter): Payments {
  const { store, registry, present, feeOf, now, log } = deps;
  const records = createNewRecords(deps);
  const refunds = createRefunds(deps);
  const listing = createListing(deps);

  async function load(caller: Caller, id: number): Promise<PaymentRecord> {
    const record = await store.load(id);
    if (!record || !mayBeSeen(caller, record)) throw notFound(`payment request ${id}`);
    return record;
  }

  /** As where it is paid, but a payment that lapsed or was cancelled did not fail. */
  async function standing(record: PaymentRecord): Promise<PaymentAnswer> {
    if (record.statusId === status.failed) throwIfFailed(record);
    return { view: await present(record), action: openAction(record, submitter.openAction) };
  }

  /** The request stands whether or not the letter leaves: the merchant has the link too. */
  async function mail(record: PaymentRecord, to: string, requestId: string): Promise<void> {
    const line = { requestId, paymentRequestId: record._id };
    if (!deps.mailLink) return log.error(line, 'no mail server is configured (mail.smtp): the link was not mailed');
    try {
      await deps.mailLink(record, to);
      log.info(line, 'link mailed');
    } catch (error) {
      log.error({ ...line, err: error }, 'the link could not be mailed');
    }
  }

  return {
    ...listing,
    ...createPaying({ ...deps, submitter, records, load }),
    ...createPayPage(deps, submitter),
    refund: async (caller, id, amount) => {
      const record = await refunds.refund(caller, await load(caller, id), amount);
      return { view: await present(record), action: null };
    },
    get: async (caller, id) => present(await load(caller, id)),
    exists: async (caller, id) => mayBeSeen(caller, await store.load(id)),
    standing: async (caller, id) => standing(await load(caller, id)),
    hasEffect: async (caller, id) =>
      caller.effect !== undefined && (await load(caller, id)).effects.includes(caller.effect),
    timeline: async (caller, id) => listing.timelineOf(await load(caller, id)),

    async create(caller, input: NewPaymentRequest) {
      const { send, client, ...members } = input;
      const found = { ...client, email: client.email || input.payerEmail || null };
      if (send && found.email === null) throw missingFields(['clientEmail']);
      const { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain, ...further } = members;
      const order = { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain };
      const { environment, effect: madeBy = null } = caller;
      const given = { order, environment, client: found, isH2h: false, further: { ...further, client, madeBy } };
      const record = await records.insert(await records.make(caller, given));
      await caller.attach?.(record._id);
      log.info({ requestId: caller.requestId, paymentRequestId: record._id }, 'payment request created');
      // A mail server that is away keeps no merchant waiting.
      if (send && found.email !== null) deps.later(mail(record, found.email, caller.requestId));
      return present(record);
    },

    async cancel(caller, id) {
      throwIfNotCancellable(await load(caller, id));
      await caller.attach?.(id);
      const { record } = await store.change(id, caller.requestId, (current) => {
        throwIfNotCancellable(current);
        return foldFacts(withEffect(current, caller), [{ type: 'cancel', at: now() }], feeOf);
      });
      return { view: await present(record), action: null };
    },

    inputKindOf: (code) => registry.byCode(code)?.adapter.manifest.inputs[0],
  };
}

/** A live key also reaches what it made with `isSandbox`; a test key sees nothing that is live. */
function mayBeSeen({ ownerId, environment }: Caller, record: PaymentRecord | undefined): boolean {
  return record?.ownerId === ownerId && !(environment === 'test' && record.environment === 'live');
}

function throwIfNotCancellable(record: PaymentRecord): void {
  const allowed = record.statusId === status.created || (record.statusId === status.failed && !record.cancelledAt);
  if (!allowed) throw notPayable(record, 'only a payment request that is created or failed can be cancelled');
}
