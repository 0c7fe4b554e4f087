/** An order, as PayPal shows it with its authorisations, captures and refunds in answers and webhooks. */
import {
  filled,
  isSameMoney,
  lenient,
  readAs,
  readJsonBody,
  redirectTo,
  rfc3339,
  v,
  type Action,
  type AttemptFacts,
  type HttpReply,
  type StoredPayment,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { Amount } from './wire.ts';

/** An id of PayPal. Only an id of this form is used in a path. */
export const Id = v.pipe(v.string(), v.regex(/^[A-Z0-9]{1,36}$/, 'an id of PayPal'));
const Links = lenient(v.array(v.object({ href: v.string(), rel: v.string() })));
const Related = lenient(v.object({ related_ids: lenient(v.object({ order_id: lenient(Id) })) }));
const Reason = lenient(v.object({ reason: lenient(filled) }));

/** Members of an authorisation, a capture and a refund. */
const common = {
  id: Id,
  status: filled,
  status_details: Reason,
  amount: Amount,
  /** Our reference of the attempt. Another system at the same account may use its own text, or none. */
  custom_id: lenient(filled),
  invoice_id: lenient(filled),
  update_time: lenient(rfc3339),
  links: Links,
};

export const Authorization = v.object({ ...common, expiration_time: lenient(rfc3339), supplementary_data: Related });
export type Authorization = v.InferOutput<typeof Authorization>;

export const Capture = v.object({
  ...common,
  supplementary_data: Related,
  processor_response: lenient(v.object({ response_code: lenient(filled) })),
});
export type Capture = v.InferOutput<typeof Capture>;

export const Refund = v.object({ ...common, acquirer_reference_number: lenient(filled) });
export type Refund = v.InferOutput<typeof Refund>;

/**
 * Reads a list of refunds. A refund that cannot be read is left out: it must not hide the payment, which its captures
 * decide.
 */
function readRefunds(list: unknown): { readonly read: readonly Refund[]; readonly isComplete: boolean } {
  if (!Array.isArray(list)) return { read: [], isComplete: list === undefined };
  const parts = list.map((item) => readAs(Refund, item));
  const read = parts.filter((item) => item !== undefined);
  return { read, isComplete: read.length === parts.length };
}

const Unit = v.object({
  custom_id: lenient(filled),
  amount: Amount,
  payments: v.optional(
    v.object({
      authorizations: v.optional(v.array(Authorization), []),
      captures: v.optional(v.array(Capture), []),
      refunds: v.pipe(v.optional(v.unknown()), v.transform(readRefunds)),
    }),
  ),
});

export const Order = v.object({ id: Id, status: filled, purchase_units: v.tuple([Unit]), links: Links });
export type Order = v.InferOutput<typeof Order>;

/** The order of this attempt; undefined for any other answer. */
export function readOrder(reply: HttpReply, { reference, money }: AttemptFacts, id?: string): Order | undefined {
  const order = readJsonBody(Order, reply);
  if (!order || order.id !== (id ?? order.id)) return undefined;
  const [unit] = order.purchase_units;
  return unit.custom_id === reference && isSameMoney(unit.amount, money) ? order : undefined;
}

/**
 * The page at which the payer approves the order; undefined if there is nothing left to approve. The payer's return
 * completes the order.
 */
export function actionOf({ status, links }: Order): Action | undefined {
  if (status !== 'CREATED' && status !== 'PAYER_ACTION_REQUIRED') return undefined;
  // PayPal's older answers call the link `approve`.
  const link = links?.find(({ rel }) => rel === 'payer-action') ?? links?.find(({ rel }) => rel === 'approve');
  return redirectTo(link?.href, { completesOnReturn: true });
}

const State = v.object({
  /** It decides how the order is completed. The option may have changed since its creation. */
  intent: v.picklist(['capture', 'authorize']),
  /** A request to complete the order was sent, and its answer is not known. */
  completing: v.exactOptional(v.literal(true)),
});
type State = v.InferOutput<typeof State>;

export function stateOf({ adapterState }: Pick<StoredPayment, 'adapterState'>, { intent }: Options): State {
  return readAs(State, adapterState) ?? { intent };
}

/** PayPal's ids of a payment, by the names that the adapter gives them. */
export function knownIds({ providerReferences = {} }: Pick<StoredPayment, 'providerReferences'>) {
  const { order, authorization, capture } = providerReferences;
  return { order, authorization, capture };
}

/**
 * PayPal's ids of the payment. Refunds and disputes name the capture, so the capture is the primary reference from the
 * charge on, and the order before. Another capture may follow one that charged nothing, so only a charge is named.
 */
export function idsOf(order: Order) {
  const { authorization, capture } = partsOf(order);
  const ids = { order: order.id, ...(authorization ? { authorization: authorization.id } : {}) };
  return capture && isCharged(capture)
    ? { providerReference: capture.id, providerReferences: { ...ids, capture: capture.id } }
    : { providerReference: order.id, providerReferences: ids };
}

const charged: ReadonlySet<string> = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']);

/** True for a capture that moved money to us. A later refund does not change that. */
export function isCharged({ status }: Pick<Capture, 'status'>): boolean {
  return charged.has(status);
}

/**
 * The parts that decide about the payment. `capture` is the first capture that charged the payer, otherwise the latest
 * one: the payment keeps its name while further parts of reserved money are captured.
 */
export function partsOf({ purchase_units: [{ payments }] }: Order) {
  const { authorizations = [], captures = [], refunds = { read: [], isComplete: true } } = payments ?? {};
  const capture = captures.find(isCharged) ?? captures.at(-1);
  return { authorization: authorizations.at(-1), captures, capture, refunds };
}

/** The id at the end of the `up` link, which leads from an object to the object that it belongs to. */
export function parentId(links: Refund['links'], path: string): string | undefined {
  const { href = '' } = links?.find(({ rel }) => rel === 'up') ?? {};
  const [, id] = new RegExp(`${path}/([A-Z0-9]{1,36})$`).exec(href) ?? [];
  return id;
}

/** True if an authorisation or a capture belongs to another order of PayPal than this payment. */
export function isOfAnotherOrder(
  { supplementary_data: named }: Capture | Authorization,
  payment: StoredPayment,
): boolean {
  const { order } = knownIds(payment);
  const id = named?.related_ids?.order_id ?? order;
  return id !== order;
}

/** The capture that a refund belongs to; empty if the refund does not name it. */
export function captureIdOf({ links }: Refund): string {
  return parentId(links, '/v2/payments/captures') ?? '';
}
