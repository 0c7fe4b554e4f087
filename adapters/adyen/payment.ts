/** Adyen's payment: how an answer about a payment is read, and the outcome that follows. */
import {
  declineOf,
  defined,
  filled,
  isWebAddress,
  lenient,
  readJsonBody,
  unknown,
  v,
  type Action,
  type AttemptFacts,
  type HttpReply,
  type Outcome,
  type ThreeDsShown,
} from '@paywright/contract';
import { declines, NOT_AUTHENTICATED } from './statuses.ts';
import { Amount, errors, isAmount, readReference, textsOf } from './wire.ts';

const Payment = v.object({
  resultCode: filled,
  pspReference: v.nullish(filled),
  merchantReference: v.nullish(v.string()),
  amount: v.nullish(Amount),
  refusalReason: lenient(v.string()),
  refusalReasonCode: lenient(v.string()),
  action: lenient(v.looseObject({ type: v.string(), method: v.string(), url: v.string(), data: lenient(v.unknown()) })),
  additionalData: lenient(v.unknown()),
});
type Payment = v.InferOutput<typeof Payment>;

/** The outcome of a payment, or of its details. */
export function paymentOutcome(reply: HttpReply, payment: AttemptFacts): Outcome {
  if (reply.status !== 200) return errors.toOutcome(reply);
  const answer = readJsonBody(Payment, reply);
  if (!answer || !isAbout(answer, payment)) return unknown('the answer is not about this payment');
  const { resultCode, merchantReference, amount, refusalReason, refusalReasonCode, additionalData } = answer;
  const named = readReference(merchantReference ?? '');
  const facts = defined({ providerReference: answer.pspReference ?? undefined, threeDs: threeDsOf(additionalData) });
  switch (resultCode) {
    case 'Authorised':
      if (!named || !amount || !answer.pspReference)
        return unknown('an authorisation without a reference or an amount');
      return named.isHeld ? { outcome: 'pending', authorised: true, ...facts } : { outcome: 'succeeded', ...facts };
    case 'Refused':
    case 'Error':
    case 'Cancelled': {
      const threeDsResult = refusalReasonCode === NOT_AUTHENTICATED ? { threeDsResult: 'N' } : {};
      return {
        outcome: 'failed',
        ...facts,
        ...declineOf(declines, refusalReasonCode, refusalReason),
        ...threeDsResult,
      };
    }
    case 'RedirectShopper': {
      const action = redirectOf(answer, payment.reference);
      // The pspReference here may differ from the payment's. The end of the step names the payment's.
      return action ? { outcome: 'pending', action } : unknown('a redirect without an address');
    }
    case 'Pending':
    case 'Received':
    case 'PresentToShopper':
      return { outcome: 'pending', ...facts };
    default:
      return { outcome: 'unknown', ...facts, unknownStatus: resultCode };
  }
}

/** If the answer names a reference or an amount, they must be ours. */
function isAbout({ merchantReference, amount }: Payment, { reference, money }: AttemptFacts): boolean {
  const isOurs = !merchantReference || readReference(merchantReference)?.reference === reference;
  return isOurs && (!amount || isAmount(amount, money));
}

/** The redirect to 3D Secure. Adyen has no id of the step; our reference names it. */
function redirectOf({ action }: Payment, transactionId: string): Action | undefined {
  if (action?.type !== 'redirect' || !isWebAddress(action.url)) return undefined;
  const { method, url } = action;
  if (method !== 'POST') return { type: 'redirect', method: 'GET', url, transactionId };
  return { type: 'redirect', method, url, fields: textsOf(action.data), transactionId };
}

/** Present if the account has the additional data of 3D Secure enabled. */
function threeDsOf(additionalData: unknown): ThreeDsShown | undefined {
  const { threeDAuthenticated, threeDOffered } = textsOf(additionalData);
  if (threeDAuthenticated === 'true') return 'authenticated';
  if (threeDAuthenticated !== 'false') return undefined;
  return threeDOffered === 'true' ? 'attempted' : 'none';
}
