/**
 * Reads requests at G's side: a signed request, and the content of its box by a schema. Everything else gets an error
 * answer.
 */
import { jsonDigits, jsonInteger, readAs, v, webAddress } from '@paywright/contract';
import type { Reply, SandboxRequest } from '@paywright/contract/sandbox';
import { openBound } from '../box.ts';
import { MAX_DIGITS } from '../charge.ts';
import type { Options } from '../options.ts';
import { errorReply, type Messages } from './messages.ts';

const Text = v.string();
const Name = v.pipe(Text, v.nonEmpty());
const Money = { minor: jsonDigits(MAX_DIGITS), cur: Text };

export const ChargeRequest = v.object({
  gw_ref: Name,
  ...Money,
  card: v.object({ pan: Text, exp: v.pipe(Text, v.regex(/^\d{4}-\d\d$/)), cvv: Text }),
  payer: v.object({ name: v.optional(Text), email: v.optional(Text), phone: v.optional(Text), ip: v.nullable(Text) }),
  address: v.object({
    street: v.optional(Text),
    city: v.optional(Text),
    state: v.optional(Text),
    zip: v.optional(Text),
    country: v.optional(Text),
  }),
  secure: v.picklist(['demand', 'skip', 'auto']),
  delayHours: v.pipe(jsonInteger(), v.minValue(0)),
  termUrl: webAddress,
  browser: v.nullable(v.looseObject({})),
});
export type ChargeRequest = v.InferOutput<typeof ChargeRequest>;

export const CompleteRequest = v.object({ g_txn: Text, gw_ref: Name, cres: Text });
export const RefundRequest = v.object({ g_txn: Text, gw_ref: Name, ...Money });

const Envelope = v.object({ ref: Name, box: v.unknown() });

/** A POST that was read: the reference next to the box, and the content of the box. */
export interface Asked<T> {
  readonly ref: string;
  readonly said: T;
}

export const badRequest: Reply = errorReply(400, 'BAD_REQUEST');

/** Reads a POST or returns its error answer. Checks signature, form, box and content, in this order. */
export function readPost<T>(
  request: SandboxRequest,
  options: Options,
  messages: Messages,
  schema: v.GenericSchema<unknown, T>,
): Asked<T> | { readonly refused: Reply } {
  const refused = messages.refuse(request);
  if (refused) return { refused };
  const envelope = readAs(Envelope, request.json());
  const message = envelope && openBound(options, envelope.ref, envelope.box);
  const said = message?.['mid'] === options.merchantId ? readAs(schema, message) : undefined;
  return envelope && said !== undefined ? { ref: envelope.ref, said } : { refused: badRequest };
}
