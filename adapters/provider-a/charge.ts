/** A's charge: reads an answer about a charge and turns it into an outcome. */
import {
  declineOf,
  lenient,
  namesAttempt,
  readJsonBody,
  redirectTo,
  unknown,
  v,
  type Action,
  type AttemptFacts,
  type HttpReply,
  type Outcome,
  type StoredPayment,
} from '@paywright/contract';
import { declines } from './statuses.ts';
import { errorOutcome, isSum, isTxn, OptionalText, Sum } from './wire.ts';

export const Charge = v.object({
  txn: v.pipe(v.string(), v.check(isTxn, '1 to 40 characters')),
  ref: v.string(),
  state: v.pipe(v.string(), v.minLength(1)),
  sum: Sum,
  why: OptionalText,
  whyText: OptionalText,
  stepUp: lenient(v.object({ url: v.string(), answered: v.optional(v.boolean()) })),
});
export type Charge = v.InferOutput<typeof Charge>;

/** Reads an answer about the payment. Undefined if it is unreadable, or names another reference, id or sum. */
export function readCharge<C extends Charge>(
  schema: v.GenericSchema<unknown, C>,
  reply: HttpReply,
  asked: AttemptFacts & Pick<StoredPayment, 'providerReference'>,
): C | undefined {
  const charge = readJsonBody(schema, reply);
  const isOurs = charge && namesAttempt(asked, charge.ref, charge.txn) && isSum(charge.sum, asked.money);
  return isOurs ? charge : undefined;
}

/** The redirect to 3D Secure. Undefined if the answer has no web address. */
export function stepUpAction({ txn, stepUp }: Charge): Action | undefined {
  return redirectTo(stepUp?.url, txn);
}

/** The outcome of the answer to a charge or to its completion. */
export function chargeOutcome(
  reply: HttpReply,
  payment: AttemptFacts & Pick<StoredPayment, 'providerReference'>,
): Outcome {
  if (reply.status !== 200) return errorOutcome(reply);
  const charge = readCharge(Charge, reply, payment);
  if (!charge) return unknown('the answer is not a charge answer about this payment');
  const { txn: providerReference, state, why, whyText } = charge;
  switch (state) {
    case 'OK':
      return { outcome: 'succeeded', providerReference };
    case 'HOLD':
      return { outcome: 'pending', providerReference, authorised: true };
    case 'NO':
      return { outcome: 'failed', providerReference, ...declineOf(declines, why, whyText), ...threeDsResultOf(charge) };
    case 'WAIT':
      return { outcome: 'pending', providerReference };
    case 'STEP_UP': {
      const action = stepUpAction(charge);
      return action
        ? { outcome: 'pending', providerReference, action }
        : { outcome: 'unknown', providerReference, reason: 'a 3D Secure step without an address' };
    }
    default:
      return { outcome: 'unknown', providerReference, unknownStatus: state };
  }
}

/** The result `N` for a failed 3D Secure step. */
export function threeDsResultOf({ why }: Charge): { threeDsResult?: string } {
  return why === 'AUTH3DS' ? { threeDsResult: 'N' } : {};
}
