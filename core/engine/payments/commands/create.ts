/** Creates a payment request, and mails its link to the client if the merchant wants that. */
import type { Logger } from 'pino';
import type { BackgroundTasks } from '../../../base/async/background-tasks.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import { GatewayError, missingFields } from '../../../base/errors.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { RateLimiter } from '../../access/index.ts';
import type { LinkMail } from '../present/link-mail.ts';
import type { Views } from '../present/view.ts';
import type { AccountUserOf, ReadProviderAccount } from '../submit/provider-account.ts';
import { environmentOf, type NewRecords } from '../store/new-record.ts';
import type { PaymentRequestView } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';
import type { NewPaymentRequest } from '../types/input.ts';

export interface CreateDeps {
  readonly records: NewRecords;
  readonly views: Pick<Views, 'present'>;
  /** Undefined: no mail server is configured. */
  readonly linkMail: LinkMail | undefined;
  readonly rateLimiter: Pick<RateLimiter, 'takeMail'>;
  readonly encrypter: Pick<Encrypter, 'fingerprint'>;
  readonly userOf: AccountUserOf;
  readonly readProviderAccount: ReadProviderAccount;
  readonly backgroundTasks: BackgroundTasks;
  readonly log: Logger;
}

export type CreateCommand = (caller: Caller, input: NewPaymentRequest) => Promise<PaymentRequestView>;

export function createCreateCommand(deps: CreateDeps): CreateCommand {
  const { records, views, linkMail, rateLimiter, encrypter, userOf, readProviderAccount, backgroundTasks, log } = deps;

  /** A mail that fails is only logged: the payment request exists, and the merchant has the link too. */
  async function mail(send: LinkMail, record: PaymentRecord, to: string, requestId: string): Promise<void> {
    const fields = { requestId, paymentRequestId: record._id };
    try {
      await send(record, to);
      log.info(fields, 'link mailed');
    } catch (error) {
      log.error({ ...fields, err: error }, 'the link could not be mailed');
    }
  }

  return async function create(caller, input) {
    const { send, client, providerAccount, ...members } = input;
    const account =
      typeof providerAccount !== 'string'
        ? undefined
        : readProviderAccount(providerAccount, await userOf(caller.ownerId));
    const found = { ...client, email: client.email || input.payerEmail || null };
    if (send && found.email === null) throw missingFields(['clientEmail']);
    if (send && !linkMail)
      throw new GatewayError(
        'INTERNAL_ERROR',
        'no mail server is configured (mail.smtp): no payment request was created',
      );
    const { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain, isSandbox, ...further } =
      members;
    const order = { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain };
    const { operation } = caller;
    const environment = environmentOf(caller, isSandbox);
    if (send && found.email !== null) {
      const addressHash = encrypter.fingerprint(`mail ${found.email.trim().toLowerCase()}`);
      await rateLimiter.takeMail({ ownerId: caller.ownerId, isTest: environment === 'test', addressHash });
    }
    const createdBy = operation?.id ?? null;
    const given = {
      order,
      environment,
      client: found,
      isH2h: false,
      further: {
        ...further,
        client,
        createdBy,
        ...(send && { linkMailed: true }),
        ...(account !== undefined && { providerAccount: account }),
      },
    };
    const made = await records.make(caller, given);
    const record = await records.insert({ ...made, _id: operation?.paymentRequestId ?? made._id }, { caller });
    log.info({ requestId: caller.requestId, paymentRequestId: record._id }, 'payment request created');
    // The merchant does not wait for the mail server.
    if (send && found.email !== null && linkMail)
      backgroundTasks.track('a link could not be mailed', mail(linkMail, record, found.email, caller.requestId));
    return views.present(record);
  };
}
