/**
 * Medusa's payment provider. A payment session of Medusa is a payment request of the gateway, whose reference is the id
 * of the session. The payer pays at the gateway's page. Every decision reads the payment request from the gateway:
 * neither the browser's return nor the content of a notification counts, so their order and number do not matter.
 */
import {
  createClient,
  GatewayError,
  verifyWebhook,
  WebhookVerificationError,
  type GatewayClient,
  type NewPaymentRequest,
  type PaymentRequest,
} from '@paywright/client';
import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  BigNumberInput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  Logger,
  ProviderWebhookPayload,
  RefundPaymentInput,
  RefundPaymentOutput,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from '@medusajs/framework/types';
import { AbstractPaymentProvider, MedusaError, PaymentActions } from '@medusajs/framework/utils';
import { isLess, toAmount } from './amounts.ts';
import { toMedusaError, refuse } from './errors.ts';
import { readOptions, type PaywrightOptions } from './options.ts';
import { findSessionData, readSessionData, toSessionData, type SessionData } from './session-data.ts';
import { isCapturedInPart, toAction, toStatus } from './statuses.ts';

interface Order {
  readonly sessionId: string;
  readonly amount: string;
  readonly currency: string;
  readonly context: InitiatePaymentInput['context'];
  readonly idempotencyKey: string;
}

const [paid, refunded, ended] = [2, 4, 5];

/**
 * Medusa answers a notification first and processes it later, with retries. A notification is therefore accepted for as
 * long as the gateway sends it. Repeating one does no harm, because only the state at the gateway counts.
 */
const toleranceSeconds = 7 * 24 * 3600;

/** The providers of this process: one for each entry in the config of Medusa. */
export const runningProviders = new Set<PaywrightProvider>();

export class PaywrightProvider extends AbstractPaymentProvider<PaywrightOptions> {
  static override identifier = 'paywright';
  readonly #options: PaywrightOptions;
  readonly #gateway: GatewayClient;
  readonly #logger: Pick<Logger, 'warn'>;

  static override validateOptions(options: Record<string, unknown>): void {
    readOptions(options);
  }

  constructor(container: Record<string, unknown>, options: PaywrightOptions) {
    super(container, options);
    this.#options = readOptions({ ...options });
    const { baseUrl, apiKey } = this.#options;
    this.#gateway = createClient({ baseUrl, apiKey });
    const { logger = console } = container as { readonly logger?: Pick<Logger, 'warn'> };
    this.#logger = logger;
    runningProviders.add(this);
  }

  /** The `link` in the session's data is the page to which the storefront leads the payer. */
  async initiatePayment({
    amount,
    currency_code,
    data,
    context,
  }: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    // Medusa sets the id after it has taken what the storefront sent.
    const payment = await this.#create(toOrder(data?.['session_id'], amount, currency_code, context));
    return { id: String(payment.id), status: toStatus(payment), data: { ...toSessionData(payment) } };
  }

  async authorizePayment({ data }: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    const found = await this.#read(readSessionData(data));
    const captures = found.isAuthorised && this.#options.capture !== 'manual';
    const payment = captures ? await this.#capture(found, undefined) : found;
    return { status: toStatus(payment), data: { ...data, ...toSessionData(payment) } };
  }

  async getPaymentStatus({ data }: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    return { status: toStatus(await this.#read(readSessionData(data))) };
  }

  async retrievePayment({ data }: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    return { data: { ...(await this.#read(readSessionData(data))) } };
  }

  /**
   * Captures everything: Medusa does not tell a provider the amount of a capture. Throws unless the gateway confirms
   * the capture, so that Medusa never shows money that may not arrive.
   */
  async capturePayment({ data, context }: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const found = await this.#read(readSessionData(data));
    const payment = found.isAuthorised ? await this.#capture(found, context?.idempotency_key) : found;
    const { id, paymentRequestStatusId: status, grossAmount, amount, unit } = payment;
    if (status !== paid && status !== refunded) {
      throw refuse(`Payment ${id} is not captured yet. Medusa records the capture when the gateway reports it.`);
    }
    if (isCapturedInPart(payment)) {
      throw refuse(
        `Only ${grossAmount} of ${amount} ${unit} of payment ${id} were captured. Refund it at the gateway.`,
      );
    }
    return { data: { ...data, ...toSessionData(payment) } };
  }

  /** The id of Medusa's refund makes the refund happen once, also if Medusa asks again. */
  async refundPayment({ data, amount, context }: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const session = readSessionData(data);
    await this.#read(session);
    await this.#refund(session, toAmount(amount, session.currency), context?.idempotency_key);
    return { data: { ...session } };
  }

  async cancelPayment({ data }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    const payment = await this.#read(readSessionData(data));
    if (payment.paymentRequestStatusId === paid) throw refuse(`Payment ${payment.id} is paid: refund it instead.`);
    await this.#end(payment);
    return { data: { ...data } };
  }

  /**
   * Medusa deletes the session of a cart whose total changes, and when the payer starts again. The payment request is
   * then cancelled, so that it can no longer be paid. If it is paid, or being paid, this throws and the cart keeps
   * its session: the payer would otherwise pay for a cart that no longer knows of the payment.
   */
  async deletePayment({ data }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    const session = findSessionData(data);
    const payment = session && (await this.#find(session));
    if (payment) await this.#end(payment);
    return { data: { ...data } };
  }

  /**
   * A new amount replaces the payment request by another one, after the old one was cancelled. A payment request that
   * is paid, or being paid, is not replaced: this throws.
   */
  async updatePayment({ data, amount, currency_code, context }: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const session = readSessionData(data);
    const payment = await this.#read(session);
    const order = toOrder(session.session_id, amount, currency_code, context);
    const isSame =
      order.currency === payment.unit && !isLess(order.amount, payment.amount) && !isLess(payment.amount, order.amount);
    if (isSame && payment.paymentRequestStatusId !== ended) {
      return { status: toStatus(payment), data: { ...data, ...toSessionData(payment) } };
    }
    await this.#end(payment);
    // The key is the same if the process dies before Medusa stores the new payment request.
    const next = await this.#create({
      ...order,
      idempotencyKey: `${session.session_id}-after-${payment.id}-${order.amount}`,
    });
    return { status: toStatus(next), data: { ...data, ...toSessionData(next) } };
  }

  async getWebhookActionAndData({ rawData, headers }: ProviderWebhookPayload['payload']): Promise<WebhookActionResult> {
    const { webhookSecret } = this.#options;
    const verified = verifyWebhook(rawData, headers as Record<string, string>, webhookSecret, { toleranceSeconds });
    const notification = await verified.catch((error: unknown) => {
      if (!(error instanceof WebhookVerificationError)) throw error;
      this.#logger.warn(`@paywright/medusa ignores a notification: ${error.message}. Compare webhookSecret.`);
      return undefined;
    });
    if (!notification || !('paymentRequest' in notification.data)) return { action: PaymentActions.NOT_SUPPORTED };
    const { id } = notification.data.paymentRequest;
    const payment = await this.#call(async () => this.#gateway.getPaymentRequest(id));
    // The merchant's other payment requests, such as links, belong to no session.
    if (!payment.referenceId?.startsWith('payses_')) return { action: PaymentActions.NOT_SUPPORTED };
    const amount = payment.grossAmount ?? payment.amount;
    return { action: toAction(payment), data: { session_id: payment.referenceId, amount } };
  }

  async #create({ sessionId, amount, currency, context, idempotencyKey }: Order): Promise<PaymentRequest> {
    const { returnUrl, notifyUrl, providerAccount } = this.#options;
    const { id, email, first_name, last_name, phone } = context?.customer ?? {};
    const name = [first_name, last_name].filter(Boolean).join(' ');
    const body: NewPaymentRequest = {
      amount,
      unit: currency,
      referenceId: sessionId,
      successUrl: returnUrl,
      failureUrl: returnUrl,
      ...(notifyUrl && { notifyUrl }),
      ...(providerAccount && { providerAccount }),
      ...(id && { clientMemberId: id }),
      ...(email && { clientEmail: email }),
      ...(name && { clientName: name }),
      ...(phone && { clientPhone: phone }),
    };
    const answer = await this.#call(async () => this.#gateway.createPaymentRequest(body, { idempotencyKey }));
    return answer.paymentRequest;
  }

  async #read(session: SessionData): Promise<PaymentRequest> {
    const payment = await this.#call(async () => this.#gateway.getPaymentRequest(session.id));
    if (payment.referenceId === session.session_id) return payment;
    throw refuse(`Payment ${session.id} belongs to another payment session.`);
  }

  /** Undefined if the gateway has no such payment request, or if it belongs to another session. */
  async #find({ id, session_id }: SessionData): Promise<PaymentRequest | undefined> {
    const found = await this.#call(async () =>
      this.#gateway.getPaymentRequest(id).catch((error: unknown) => {
        if (error instanceof GatewayError && error.code === 'NF001') return undefined;
        throw error;
      }),
    );
    return found?.referenceId === session_id ? found : undefined;
  }

  /** If another process captured or released the money first, returns what became of the payment. */
  async #capture({ id }: PaymentRequest, idempotencyKey: string | undefined): Promise<PaymentRequest> {
    return this.#call(async () => {
      try {
        return (await this.#gateway.capture(id, {}, { idempotencyKey })).paymentRequest;
      } catch (error) {
        if (error instanceof GatewayError && error.code === 'PAY004') {
          const payment = await this.#gateway.getPaymentRequest(id);
          if (!payment.isAuthorised) return payment;
        }
        throw error;
      }
    });
  }

  async #refund({ id }: SessionData, amount: string, idempotencyKey: string | undefined): Promise<void> {
    const unknown = `It is unknown whether ${amount} of payment ${id} were refunded. Look at its refunds at the gateway before you refund again.`;
    await this.#call(async () => this.#gateway.refund(id, { amount }, { idempotencyKey }), unknown);
  }

  /** Makes sure that the payment request can no longer be paid. Throws if it is paid, or being paid. */
  async #end(payment: PaymentRequest): Promise<void> {
    const { id, paymentRequestStatusId: status } = payment;
    if (status === ended || status === refunded) return;
    const open = `Payment ${id} is paid or in progress, so its cart cannot change. Complete the cart, or wait until the payment ends.`;
    if (status === paid) throw refuse(open);
    const cancelled = await this.#call(async () =>
      this.#gateway.cancel(id).catch((error: unknown) => {
        if (error instanceof GatewayError && error.code === 'PAY004') return undefined;
        throw error;
      }),
    );
    const now = cancelled?.paymentRequest ?? (await this.#call(async () => this.#gateway.getPaymentRequest(id)));
    if (now.paymentRequestStatusId !== ended) throw refuse(open);
  }

  async #call<T>(call: () => Promise<T>, unknown?: string): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw toMedusaError(error, unknown);
    }
  }
}

function toOrder(
  sessionId: unknown,
  amount: BigNumberInput,
  currencyCode: string,
  context: InitiatePaymentInput['context'],
): Order {
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw new MedusaError(MedusaError.Types.INVALID_DATA, 'Medusa gave no id of the payment session.');
  }
  const currency = currencyCode.toUpperCase();
  return { sessionId, amount: toAmount(amount, currency), currency, context, idempotencyKey: sessionId };
}
