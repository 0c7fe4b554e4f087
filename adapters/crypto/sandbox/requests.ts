/**
 * Reads the requests that the server receives: token and store, then the message's schema. Anything else is an error
 * answer.
 */
import {
  isActiveCurrency,
  isExactAmount,
  jsonInteger,
  onlyHeader,
  readJsonObject,
  sameText,
  v,
  webAddress,
} from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';

const Text = v.string();
const Filled = v.pipe(Text, v.nonEmpty());
const Unit = v.pipe(Text, v.check(isActiveCurrency, 'a currency'));

export const InvoiceRequest = v.pipe(
  v.object({
    ref: Filled,
    price: Text,
    unit: Unit,
    coin: Filled,
    minutes: v.pipe(jsonInteger(), v.minValue(1), v.maxValue(1440)),
    hook: webAddress,
    back: webAddress,
    buyer: v.object({ name: Text, mail: Text, country: Text }),
  }),
  v.forward(
    v.check(({ price, unit }) => isExactAmount({ amount: price, currency: unit }), 'exactly the decimals of the unit'),
    ['price'],
  ),
);

export const RefundRequest = v.pipe(
  v.object({ sum: Text, unit: Unit }),
  v.forward(
    v.check(({ sum, unit }) => isExactAmount({ amount: sum, currency: unit }), 'exactly the decimals of the unit'),
    ['sum'],
  ),
);

export function refusal(status: number, code: string, more: Readonly<Record<string, unknown>> = {}): Reply {
  return jsonReply(status, { code, ...more });
}

export const notFound = refusal(404, 'not-found');

function invalid(path: string, message: string): Reply {
  return refusal(400, 'validation', { items: [{ path, message }] });
}

/** The error answer for another token or store. */
export function refuseCaller(request: SandboxRequest, store: string, options: Options): Reply | undefined {
  const isKnown = sameText(onlyHeader(request, 'Authorization') ?? '', `token ${options.apiToken}`);
  if (!isKnown) return refusal(401, 'unauthenticated');
  return store === options.storeId ? undefined : refusal(403, 'forbidden');
}

/** Reads a POST or returns its error answer. Checks caller, key and message, in this order. */
export function readPost<T>(
  request: SandboxRequest,
  store: string,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): { readonly asked: T; readonly key: string } | { readonly refused: Reply } {
  const refused = refuseCaller(request, store, options);
  if (refused) return { refused };
  const key = onlyHeader(request, 'Idempotency-Key');
  if (!key) return { refused: invalid('Idempotency-Key', 'missing') };
  const read = v.safeParse(schema, readJsonObject(request.body));
  if (read.success) return { asked: read.output, key };
  const [issue] = read.issues;
  return { refused: invalid(v.getDotPath(issue) ?? '', issue.message) };
}
