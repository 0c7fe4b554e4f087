/**
 * Reads requests on the side of New Provider: the caller and the body by its schema. Everything else gets an error
 * answer.
 */
import { JsonNumber, onlyHeader, readAs, readJsonObject, sameText, v, webAddress } from '@paywright/contract';
// for: card
import { isCardNumber, jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
// end
// for: billing token upi
//: import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
// end
import type { Options } from '../options.ts';

const Text = v.pipe(v.string(), v.minLength(1));
const Minor = v.pipe(
  v.custom<JsonNumber>((value) => value instanceof JsonNumber, 'a number'),
  v.check(({ text }) => /^\d{1,15}$/.test(text), 'a whole number'),
);

export const AskedPayment = v.object({
  account: Text,
  reference: Text,
  amount: Minor,
  currency: Text,
  // for: card
  card: v.object({ number: v.pipe(Text, v.check(isCardNumber, 'a card number')), cvc: Text }),
  // end
  // for: token
  //: token: Text,
  // end
  // for: upi
  //: upiId: Text,
  // end
  // for: card token
  threeDs: v.picklist(['auto', 'demand', 'skip']),
  challengeReturnUrl: webAddress,
  // end
  noticeUrl: webAddress,
  returnUrl: webAddress,
});
export type AskedPayment = v.InferOutput<typeof AskedPayment>;

export const AskedRefund = v.object({ account: Text, reference: Text, amount: Minor, currency: Text });

// for: card token
export const AskedCompletion = v.object({ account: Text, cres: v.nullable(Text) });

// end
/** `charged`: whether money may have been charged. */
export function errorReply(status: number, code: string, charged: boolean): Reply {
  return jsonReply(status, { error: { code, charged } });
}

export function isKnown(request: SandboxRequest, { apiKey }: Options): boolean {
  return sameText(onlyHeader(request, 'Authorization') ?? '', `Bearer ${apiKey}`);
}

/** A parsed POST: its body, its idempotency key, and its values in one spelling. */
interface Asked<T> {
  readonly body: T;
  readonly key: string;
  readonly values: Uint8Array;
}

/** Reads a POST or returns the error answer. Checks key, format and account in this order. */
export function readPost<T extends { account: string }>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): Asked<T> | { readonly refused: Reply } {
  if (!isKnown(request, options)) return { refused: errorReply(401, 'bad_key', false) };
  const body = readAs(schema, readJsonObject(request.body));
  const key = onlyHeader(request, 'Idempotency-Key');
  if (!body || !key) return { refused: errorReply(400, 'unreadable', false) };
  if (body.account !== options.account) return { refused: errorReply(401, 'bad_account', false) };
  return { body, key, values: request.body };
}
