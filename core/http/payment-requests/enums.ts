/** Numbers with a meaning each, as named schemas: code generators make one type of each. */
import { paymentMethods, type PaymentMethod } from '@paywright/contract';
import { numbered, schemaRef } from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { methodCodes } from './codes.ts';

const methodWords: Readonly<Record<PaymentMethod, string>> = {
  card: 'card',
  card_token: 'card token',
  upi_collect: 'UPI collect',
  upi_intent: 'UPI intent',
  upi_qr: 'UPI QR',
  crypto: 'cryptocurrency',
  hosted_page: 'hosted page',
  wallet_card: 'wallet card',
  ewallet_redirect: 'e-wallet redirect',
};
const methodNames = new Map(
  Object.entries(paymentMethods).map(([name, code]) => [code as number, name as PaymentMethod]),
);

const { maximum = 0 } = methodCodes.schema;
const knownMethods = Array.from({ length: maximum + 1 }, (_, code) => code).filter(
  (code) => methodCodes.read(`${code}`) !== undefined,
);

function describeMethod(code: number): readonly [value: number, name: string, words: string] {
  const name = methodNames.get(code);
  if (name) return [code, name.toUpperCase(), methodWords[name]];
  return code === 0 ? [0, 'NONE', 'none'] : [code, `RESERVED_${code}`, 'reserved'];
}

export const enumSchemas = {
  PaymentRequestStatus: numbered('The status of a payment request', [
    [0, 'CREATED', 'created'],
    [1, 'PENDING', 'pending'],
    [2, 'PAID', 'paid'],
    [3, 'FAILED', 'failed'],
    [4, 'REFUNDED', 'refunded in full'],
    [5, 'EXPIRED', 'expired or cancelled by the merchant'],
  ]),
  TransactionStatus: numbered('The result of an attempt', [
    [0, 'NONE', 'none yet'],
    [1, 'PENDING', 'pending'],
    [2, 'SUCCEEDED', 'succeeded'],
    [3, 'FAILED', 'failed'],
  ]),
  PaymentMethod: numbered('How the payer pays', knownMethods.map(describeMethod)),
  FirstDeposit: numbered('Whether this is the first payment of the client', [
    [0, 'NOT_DETERMINED', 'not determined'],
    [1, 'FIRST', 'the client’s first paid request'],
    [2, 'LATER', 'a later one'],
  ]),
} as const satisfies Record<string, JsonSchema>;

/** A reference to one of these schemas, with words about this member. */
export function enumRef(name: keyof typeof enumSchemas, description?: string): JsonSchema {
  return { ...schemaRef(name), ...(description !== undefined && { description }) };
}
