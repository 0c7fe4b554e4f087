/** Reads requests at Razorpay's side: the key, then the message by its schema. Everything else gets an error answer. */
import { filled, isBasicOf, jsonInteger, v, webAddress } from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { Minor } from '../payment.ts';

const Text = v.string();
const Notes = v.optional(v.record(v.string(), v.string()), {});
const Short = v.pipe(v.string(), v.nonEmpty(), v.maxLength(40));
const Payable = { amount: Minor, currency: v.pipe(v.string(), v.length(3)) };

const Capture = v.object({
  capture: v.literal('automatic'),
  capture_options: v.object({
    automatic_expiry_period: v.pipe(jsonInteger(), v.minValue(12)),
    manual_expiry_period: v.pipe(jsonInteger(), v.maxValue(7200)),
    refund_speed: v.picklist(['normal', 'optimum']),
  }),
});

export const OrderRequest = v.strictObject({ ...Payable, receipt: Short, notes: Notes, payment: Capture });

/** Bounds of a customer's members in Razorpay's reference. */
const Name = v.pipe(
  v.string(),
  v.minLength(3, 'The name must be at least 3 characters.'),
  v.maxLength(50, 'The name may not be greater than 50 characters.'),
  v.regex(/^[A-Za-z0-9.'/@() ]+$/, 'The name format is invalid.'),
);
const Email = v.pipe(
  v.string(),
  v.maxLength(64, 'The email may not be greater than 64 characters.'),
  v.regex(/^[!-?A-~]+@[!-?A-~]+$/, 'The email must be a valid email address.'),
);
const Contact = v.pipe(
  v.string(),
  v.maxLength(15, 'The contact may not be greater than 15 characters.'),
  v.regex(/^\+?\d{8,15}$/, 'The contact format is invalid.'),
);

const Upi = v.variant('flow', [
  v.strictObject({ flow: v.literal('collect'), vpa: filled, expiry_time: v.pipe(jsonInteger(), v.maxValue(5760)) }),
  v.strictObject({ flow: v.literal('intent') }),
]);

export const PaymentRequest = v.strictObject({
  ...Payable,
  order_id: filled,
  email: Email,
  contact: Contact,
  method: v.literal('upi'),
  upi: Upi,
  ip: v.pipe(v.string(), v.ip('The ip must be a valid IP address.')),
  referer: filled,
  user_agent: filled,
  description: v.optional(Text),
  notes: Notes,
});

export const LinkRequest = v.strictObject({
  ...Payable,
  accept_partial: v.boolean(),
  expire_by: jsonInteger(),
  reference_id: Short,
  description: v.pipe(v.string(), v.maxLength(2048)),
  customer: v.strictObject({ name: v.optional(Name), email: v.optional(Email), contact: v.optional(Contact) }),
  notify: v.strictObject({ sms: v.boolean(), email: v.boolean() }),
  reminder_enable: v.boolean(),
  notes: Notes,
  callback_url: webAddress,
  callback_method: v.literal('get'),
});

export const RefundRequest = v.strictObject({
  amount: Minor,
  speed: v.picklist(['normal', 'optimum']),
  receipt: v.optional(Text),
  notes: Notes,
});

export function refusal(status: number, description: string, more: Readonly<Record<string, unknown>> = {}): Reply {
  const error = { code: status < 500 ? 'BAD_REQUEST_ERROR' : 'SERVER_ERROR', description };
  const said = { source: 'business', step: 'payment_initiation', reason: 'input_validation_failed', metadata: {} };
  return jsonReply(status, { error: { ...error, ...said, ...more } });
}

export const noSuchId = refusal(400, 'The id provided does not exist');

/** The error answer for an unknown key. */
export function refuseCaller(request: SandboxRequest, { keyId, keySecret }: Options): Reply | undefined {
  return isBasicOf(request, keyId, [keySecret]) ? undefined : refusal(401, 'Authentication failed');
}

/** The request that was read, or its error answer. */
export function readPost<S extends v.GenericSchema>(
  request: SandboxRequest,
  options: Options,
  schema: S,
): { readonly asked: v.InferOutput<S> } | { readonly refused: Reply } {
  const refused = refuseCaller(request, options);
  if (refused) return { refused };
  const read = v.safeParse(schema, request.json());
  if (read.success) return { asked: read.output };
  const [issue] = read.issues;
  const path = v.getDotPath(issue);
  const field = path === null ? {} : { field: path.replace(/^customer\./, '') };
  return { refused: refusal(400, issue.message, field) };
}
