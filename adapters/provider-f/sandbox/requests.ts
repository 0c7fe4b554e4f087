/** Reads requests at F's side: the caller's token, and the body by its schema. Everything else gets a fault. */
import {
  decimalText,
  fitsCurrency,
  formatAmount,
  isActiveCurrency,
  jsonInteger,
  onlyHeader,
  readAs,
  readJsonObject,
  sameText,
  v,
  webAddress,
} from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';

const Text = v.string();
const Filled = v.pipe(Text, v.nonEmpty());
const Money = v.object({ v: decimalText, c: Text });

export const DealRequest = v.object({
  shop: Text,
  ref: Filled,
  gross: Money,
  payer: v.object({ name: v.optional(Text), email: v.optional(Text), phone: v.optional(Text), ip: v.nullable(Text) }),
  address: v.object({
    street: v.optional(Text),
    city: v.optional(Text),
    state: v.optional(Text),
    zip: v.optional(Text),
    country: v.optional(Text),
  }),
  backUrl: webAddress,
});

export const ReturnRequest = Money;

export const SeenRequest = v.object({ mark: jsonInteger() });

export function fault(status: number, code: string, started = false): Reply {
  return jsonReply(status, { fault: { code, message: code.replaceAll('_', ' '), started } });
}

export const badField = fault(400, 'bad_field');
export const notOffered = fault(422, 'not_offered');
export const noDeal = fault(404, 'no_deal');

/** A fault if the caller does not send our token. */
export function refuseCaller(request: SandboxRequest, { apiToken }: Options): Reply | undefined {
  const isKnown = sameText(onlyHeader(request, 'Authorization') ?? '', `Bearer ${apiToken}`);
  return isKnown ? undefined : fault(401, 'bad_token');
}

/** Reads a POST or returns its fault. */
export function readPost<T>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): { readonly asked: T } | { readonly refused: Reply } {
  const refused = refuseCaller(request, options);
  if (refused) return { refused };
  const asked = readAs(schema, readJsonObject(request.body));
  return asked === undefined ? { refused: badField } : { asked };
}

/** A fault if the currency is unknown, or if the amount does not have exactly its decimals. */
export function refuseMoney({ v: amount, c: currency }: v.InferOutput<typeof Money>): Reply | undefined {
  if (!isActiveCurrency(currency)) return notOffered;
  const money = { amount, currency };
  return fitsCurrency(money) && formatAmount(money) === amount ? undefined : badField;
}
