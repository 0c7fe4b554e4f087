/** Adyen's payment: how an answer about one is read, and what it comes to. */
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

/** What the answer to a payment, or to its details, came to. */
export function paymentOutcome(reply: HttpReply, payment: AttemptFacts): Outcome {
  if (reply.status !== 200) return errors.toOutcome(reply);
  const answer = readJsonBody(Payment, reply);
  if (!answer || !isAbout(answer, payment)) return unknown('the answer is no answer about this payment');
  const { resultCode, merchantReference, amount, refusalReason, refusalReasonCode, additionalData } = answer;
  const named = readReference(merchantReference ?? '');
  const facts = defined({ providerReference: answer.pspReference ?? undefined, threeDs: threeDsOf(additionalData) });
  switch (resultCode) {
    case 'Authorised':
      if (!named || !amount || !answer.pspReference) return unknown('an authorisation without reference or amount');
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
      // Its pspReference may be another than that of the payment, which the end of the step names.
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

/** Where it names a reference or an amount, they are ours. */
function isAbout({ merchantReference, amount }: Payment, { reference, money }: AttemptFacts): boolean {
  const isOurs = !merchantReference || readReference(merchantReference)?.reference === reference;
  return isOurs && (!amount || isAmount(amount, money));
}

/** The payer's way to 3D Secure. Adyen has no id of the step; our reference names it. */
function redirectOf({ action }: Payment, transactionId: string): Action | undefined {
  if (action?.type !== 'redirect' || !isWebAddress(action.url)) return undefined;
  const { method, url } = action;
  if (method !== 'POST') return { type: 'redirect', method: 'GET', url, transactionId };
  return { type: 'redirect', method, url, fields: textsOf(action.data), transactionId };
}

/** Shown where the account has the additional data of 3D Secure turned on. */
function threeDsOf(additionalData: unknown): ThreeDsShown | undefined {
  const { threeDAuthenticated, threeDOffered } = textsOf(additionalData);
  if (threeDAuthenticated === 'true') return 'authenticated';
  if (threeDAuthenticated !== 'false') return undefined;
  return threeDOffered === 'true' ? 'attempted' : 'none';
}
