/** Creating and reading payment requests. */
import { compareDecimals, decimalsOf, fitsCurrency, hasDecimals, type InputKind } from '@paywright/contract';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { GatewayError, missingFields, notFound } from '../../../base/errors.ts';
import type { PaymentsDeps } from '../deps.ts';
import type { LinkMail } from '../link-mail.ts';
import { createOperations } from '../operation.ts';
import type { Caller } from '../types/caller.ts';
import type { NewPaymentRequest } from '../types/input.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Payments } from '../service.ts';
import { environmentOf, type NewRecords } from '../store/new-record.ts';
import { throwIfTakenOver } from '../store/operations.ts';
import { throwIfFailed, type Answers } from '../present/answer.ts';
import type { Routing } from '../submit/routing.ts';
import type { Warning } from '../../../base/warnings.ts';

export interface PaymentRequests extends Pick<
  Payments,
  'create' | 'get' | 'answer' | 'reserveId' | 'exists' | 'operation' | 'warningsOf' | 'inputKindsOf'
> {
  /** Throws NF001 where the caller may not see it, IDEM001 where a repetition did what the caller is to do. */
  readonly load: (caller: Caller, id: number) => Promise<PaymentRecord>;
}

export function createPaymentRequests(
  deps: PaymentsDeps & { readonly records: NewRecords; readonly answers: Answers },
): PaymentRequests {
  const { store, records, answers, registry, views, backgroundTasks, log } = deps;

  async function find(caller: Caller, id: number): Promise<PaymentRecord | undefined> {
    const record = await store.load(id);
    if (!mayBeSeen(caller, record)) return undefined;
    caller.onPayment?.(id);
    return record;
  }

  async function load(caller: Caller, id: number): Promise<PaymentRecord> {
    const record = await find(caller, id);
    if (!record) throw notFound(`payment request ${id}`);
    // What was done of it already must not look like a reason to refuse it.
    throwIfTakenOver(record, caller);
    return record;
  }

  /** As where it is paid, but a payment that expired or was cancelled did not fail. */
  function currentAnswer(record: PaymentRecord): PaymentAnswer {
    if (record.statusId === status.failed) throwIfFailed(record);
    return answers.current(record);
  }

  /** The payment request exists whether or not the mail leaves: the merchant has the link too. */
  async function mail(linkMail: LinkMail, record: PaymentRecord, to: string, requestId: string): Promise<void> {
    const fields = { requestId, paymentRequestId: record._id };
    try {
      await linkMail(record, to);
      log.info(fields, 'link mailed');
    } catch (error) {
      log.error({ ...fields, err: error }, 'the link could not be mailed');
    }
  }

  return {
    load,
    get: async (caller, id) => views.present(await load(caller, id)),
    answer: async (caller, id) => answers.current(await load(caller, id)),
    reserveId: async () => deps.ids.next(),
    exists: async (caller, id) => (await find(caller, id)) !== undefined,
    operation: createOperations({ ids: deps.ids, find, answer: currentAnswer }),

    async create(caller, input: NewPaymentRequest) {
      const { send, client, ...members } = input;
      const found = { ...client, email: client.email || input.payerEmail || null };
      if (send && found.email === null) throw missingFields(['clientEmail']);
      if (send && !deps.linkMail)
        throw new GatewayError('INTERNAL_ERROR', 'no mail server is configured (mail.smtp): nothing was made');
      const { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain, isSandbox, ...further } =
        members;
      const order = { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain };
      const { operation } = caller;
      const environment = environmentOf(caller, isSandbox);
      const createdBy = operation?.id ?? null;
      const given = { order, environment, client: found, isH2h: false, further: { ...further, client, createdBy } };
      const made = await records.make(caller, given);
      const record = await records.insert({ ...made, _id: operation?.paymentRequestId ?? made._id }, { caller });
      log.info({ requestId: caller.requestId, paymentRequestId: record._id }, 'payment request created');
      // A mail server that is away keeps no merchant waiting.
      if (send && found.email !== null && deps.linkMail)
        backgroundTasks.track('a link could not be mailed', mail(deps.linkMail, record, found.email, caller.requestId));
      return views.present(record);
    },

    warningsOf(caller, order, { isToBePaid, isSandbox } = {}) {
      const refusal = order.notifyUrl === null ? undefined : deps.refusalOfUrl(order.notifyUrl);
      const sandbox = environmentOf(caller, isSandbox) === 'test';
      const unpayable = isToBePaid && whyUnpayable(deps.routing, { ...order, sandbox });
      return [
        ...(refusal === undefined ? [] : [{ field: 'notifyUrl', message: `will not be called: ${refusal}` }]),
        ...(unpayable ? [unpayable] : []),
      ];
    },

    inputKindsOf: (code) => registry.byCode(code)?.adapter.manifest.inputs,
  };
}

/** A key reaches what is of its environment; a live key also the test payment requests that live keys made. */
function mayBeSeen({ ownerId, environment }: Caller, record: PaymentRecord | undefined): record is PaymentRecord {
  if (record?.ownerId !== ownerId) return false;
  return record.environment === environment || (environment === 'live' && record.keyEnvironment === 'live');
}

const inputKinds: readonly InputKind[] = ['card', 'token', 'upi', 'billing'];

/** Why nobody can pay it as routes and adapters are now; undefined: somebody can. */
function whyUnpayable(routing: Routing, order: Parameters<Routing['hasWay']>[1]): Warning | undefined {
  const { amount, unit } = order;
  if (compareDecimals(amount, '0') === 0) return { field: 'amount', message: 'is 0: there is nothing to pay' };
  if (hasDecimals(unit) && !fitsCurrency({ amount, currency: unit }))
    return { field: 'amount', message: `cannot be charged: ${unit} has ${decimalsOf(unit)} decimals` };
  if (inputKinds.some((kind) => routing.hasWay(kind, order))) return undefined;
  return hasDecimals(unit)
    ? { field: 'unit', message: 'is a currency that no route takes now' }
    : { field: 'unit', message: 'is no currency: ISO 4217 in capitals, such as EUR' };
}
