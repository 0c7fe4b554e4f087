/** Makes the arguments that core gives an adapter from the `payment` of a vector. */
import type { ProviderAdapter } from '../adapter.ts';
import { trimDecimal, type Money } from '../money/money.ts';
import type { Action, AdapterState, ProviderReferences } from '../outcome.ts';
import {
  inputKindOf,
  paymentMethods,
  type AttemptFacts,
  type CaptureRequest,
  type CompletionStep,
  type PaymentMethod,
  type RefundRequest,
  type StoredPayment,
  type Submission,
  type VoidRequest,
} from '../payment.ts';
import { readReference } from '../reference.ts';
import { isObject, toDecimal } from './difference.ts';

export type VectorPayment = Readonly<Record<string, unknown>>;

/** How long before `now` a submission ended if a vector does not say it: longer than every provider's window. */
const longAgoMs = 3_600_000;

/** A member that may be text or a number, as text; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function moneyOf<Options>(adapter: ProviderAdapter<Options>, amount: unknown, unit: string): Money {
  const decimal = toDecimal(amount);
  if (decimal === undefined) throw new Error('payment.amount is not a decimal: write it as text or number');
  const { units = {} } = adapter.manifest;
  return { amount: trimDecimal(decimal), currency: Object.hasOwn(units, unit) ? units[unit]! : unit };
}

function factsOf<Options>(adapter: ProviderAdapter<Options>, payment: VectorPayment): AttemptFacts {
  const reference = textOf(payment['reference']);
  const named = readReference(reference);
  const unit = textOf(payment['unit']);
  return {
    paymentRequestId: named?.paymentRequestId ?? '1',
    attempt: named?.attempt ?? 1,
    reference,
    money: moneyOf(adapter, payment['amount'], unit),
    unit,
    sandbox: payment['isSandbox'] === true,
    isH2h: payment['isH2h'] === true,
  };
}

/** The submission that core makes of a merchant's body. */
export function toSubmission<Options>(adapter: ProviderAdapter<Options>, payment: VectorPayment): Submission {
  const { number, expiration, cvv, token, upiId, browserInfo, wallet, captureDelayHours, is3ds } = payment;
  const ipAddress = payment['ipAddress'];
  const card =
    typeof number === 'string' && number !== ''
      ? {
          number,
          expiration: textOf(expiration),
          expiryMonth: textOf(expiration).slice(0, 2),
          expiryYear: `20${textOf(expiration).slice(3)}`,
          cvv: textOf(cvv),
        }
      : undefined;
  // A vector may lack the member of its input, to show how the adapter handles that.
  return {
    ...factsOf(adapter, payment),
    input: inputKindOf(adapter.manifest.inputs, payment),
    payer: {
      name: textOf(payment['name']),
      email: textOf(payment['email']),
      phoneNumber: textOf(payment['phoneNumber']),
      address: textOf(payment['address']),
      city: textOf(payment['city']),
      state: textOf(payment['state']),
      postalCode: textOf(payment['postalCode']),
      country: textOf(payment['country']),
      ipAddress: typeof ipAddress === 'string' ? ipAddress : null,
    },
    ...(card && { card }),
    ...(typeof token === 'string' && { token }),
    ...(typeof upiId === 'string' && { upiId }),
    ...(isObject(browserInfo) && { browserInfo }),
    ...(isObject(wallet) && { wallet }),
    ...(typeof captureDelayHours === 'number' && { captureDelayHours }),
    ...(typeof is3ds === 'boolean' && { is3ds }),
  } as unknown as Submission;
}

/** The stored payment that the later calls get. */
export function toStoredPayment<Options>(
  adapter: ProviderAdapter<Options>,
  payment: VectorPayment,
  options: Options,
  now: Date,
): StoredPayment {
  const { providerReference, providerReferences, capturedAmount, isPaid, adapterState, action, endedAt } = payment;
  return {
    ...factsOf(adapter, payment),
    method: methodOf(adapter, payment, options),
    ...(typeof providerReference === 'string' && { providerReference }),
    ...(isObject(providerReferences) && { providerReferences: providerReferences as ProviderReferences }),
    ...(typeof capturedAmount === 'string' && { capturedAmount }),
    ...(isPaid === true && { isPaid }),
    ...(adapterState !== undefined && { adapterState: adapterState as AdapterState }),
    ...(isObject(action) && { action: action as unknown as Action }),
    endedAt: endedAt === null ? null : new Date(typeof endedAt === 'string' ? endedAt : now.getTime() - longAgoMs),
  };
}

function methodOf<Options>(adapter: ProviderAdapter<Options>, payment: VectorPayment, options: Options): PaymentMethod {
  const given = Object.keys(paymentMethods).find((name) => name === payment['method']);
  if (given) return given as PaymentMethod;
  const usual = adapter.manifest.ways[0].method;
  return adapter.methodOf?.(toSubmission(adapter, payment), options) ?? usual;
}

export function toRefund<Options>(adapter: ProviderAdapter<Options>, payment: VectorPayment): RefundRequest {
  const refund = isObject(payment['refund']) ? payment['refund'] : {};
  const note = refund['note'];
  return {
    reference: textOf(refund['reference']),
    money: moneyOf(adapter, refund['amount'], textOf(payment['unit'])),
    note: typeof note === 'string' ? note : null,
    refundedSoFar: toDecimal(refund['refundedSoFar']) ?? '0',
    isRepetition: refund['isRepetition'] === true,
  };
}

export function toCapture<Options>(adapter: ProviderAdapter<Options>, payment: VectorPayment): CaptureRequest {
  const capture = isObject(payment['capture']) ? payment['capture'] : {};
  return {
    reference: textOf(capture['reference']),
    money: moneyOf(adapter, capture['amount'], textOf(payment['unit'])),
  };
}

/** Core's name for the first release; a vector may name another. */
export function toVoid(payment: VectorPayment): VoidRequest {
  const release = isObject(payment['void']) ? payment['void'] : {};
  return { reference: textOf(release['reference']) || `${textOf(payment['reference'])}-V` };
}

/**
 * The step that `complete` continues after: a member code, what a browser posted or brought back, or the payer's plain
 * return.
 */
export function toStep(payment: VectorPayment): CompletionStep {
  const { code, posted, returned } = payment;
  if (typeof code === 'string') return { kind: 'code', code };
  if (typeof returned === 'string') return { kind: 'return', query: returned };
  if (!isObject(posted)) return { kind: 'return' };
  const fields = ['cres', 'PaRes', 'threeDSMethodData'] as const;
  const field = fields.find((name) => typeof posted[name] === 'string');
  if (!field) return { kind: 'return' };
  const value = textOf(posted[field]);
  const message = decoded(value);
  return {
    kind: '3ds',
    field,
    value,
    transactionId: textOf(message['threeDSServerTransID']) || null,
    hint: textOf(message['transStatus']) || 'U',
  };
}

function decoded(value: string): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(Buffer.from(value, 'base64url').toString());
    return isObject(message) ? message : {};
  } catch {
    return {}; // A 3DS 1 result is not JSON; only the provider reads it.
  }
}
