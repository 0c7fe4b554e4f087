/** The payment: what we ask, and what the switch answers. */
import {
  declineOf,
  JsonNumber,
  misconfigured,
  nothingCharged,
  readAs,
  readJsonObject,
  toMinor,
  unknown,
  v,
  type AttemptFacts,
  type HttpReply,
  type Outcome,
  type PaymentMethod,
  type Provider,
  type Submission,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { actionEntries, actionOf, declines, transactionEntries } from './transaction.ts';

const modes = { upi_collect: 'COLLECT', upi_intent: 'INTENT', upi_qr: 'QR' } as const;
export type UpiMethod = keyof typeof modes & PaymentMethod;

/** Two ids stand for *not known yet*: the payer's app opens a link, or scans a QR code. */
export function methodOf(upiId: string | undefined): UpiMethod {
  switch (upiId?.toLowerCase()) {
    case 'intent@gw':
      return 'upi_intent';
    case 'qr@gw':
      return 'upi_qr';
    case undefined:
    default:
      return 'upi_collect';
  }
}

/** The message that asks for the payment. */
export function payMessage(payment: Submission, upiId: string, provider: Provider<Options>): unknown {
  const { payer, money, reference, paymentRequestId } = payment;
  const { merchantId, ttlSeconds } = provider.options;
  const method = methodOf(upiId);
  return {
    mid: merchantId,
    gw_ref: reference,
    paise: new JsonNumber(toMinor(money)),
    mode: modes[method],
    ...(method === 'upi_collect' ? { vpa: upiId } : {}),
    payer: { name: payer.name, mobile: payer.phoneNumber },
    hook: provider.callbackUrl('upi'),
    ret: provider.returnUrl(paymentRequestId),
    ttl: ttlSeconds,
    at: provider.now().getTime(),
  };
}

/** A good answer that shows a transaction. `ok` and `code` say that the switch worked, and nothing of the payment. */
const Answer = v.object({
  ok: v.literal(true),
  data: v.object({ ...transactionEntries, ...actionEntries, u_txn: v.pipe(v.string(), v.nonEmpty()) }),
});
export type Shown = v.InferOutput<typeof Answer>['data'];

/** The transaction that an answer shows; undefined where it cannot be read or is not the one of this reference. */
export function readShown(reply: HttpReply, { reference }: AttemptFacts, { merchantId }: Options): Shown | undefined {
  const shown = readAs(Answer, readJsonObject(reply.body))?.data;
  return shown?.mid === merchantId && shown.gw_ref === reference ? shown : undefined;
}

export function payOutcome(reply: HttpReply, payment: AttemptFacts, options: Options): Outcome {
  if (reply.status !== 200) return errorOutcome(reply);
  const shown = readShown(reply, payment, options);
  if (shown?.paise !== toMinor(payment.money)) return unknown('the answer is no answer about this payment');
  const { u_txn: providerReference, state, why } = shown;
  switch (state) {
    case 'COMPLETED':
      return { outcome: 'succeeded', providerReference };
    case 'FAILED':
      return { outcome: 'failed', providerReference, ...declineOf(declines, why) };
    case 'EXPIRED':
    case 'CANCELLED':
      return { outcome: 'failed', providerReference, decline: '05' };
    case 'PENDING': {
      const action = actionOf(shown);
      return action
        ? { outcome: 'pending', providerReference, action }
        : {
            outcome: 'unknown',
            providerReference,
            reason: 'a waiting payment that does not say what the payer must do',
          };
    }
    case 'DEEMED':
      return { outcome: 'pending', providerReference };
    default:
      return { outcome: 'pending', providerReference, unknownWord: state };
  }
}

const Refusal = v.object({ ok: v.literal(false), code: v.pipe(v.string(), v.nonEmpty()) });

/** The code of an error answer, where it has one, and the answer in words. */
export function readRefusal(reply: HttpReply): { readonly code: string | undefined; readonly named: string } {
  const code = readAs(Refusal, readJsonObject(reply.body))?.code;
  return { code, named: `the switch answered ${reply.status}${code ? ` ${code}` : ''}` };
}

/** What an error answer to a POST means: refused, certainly nothing moved, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { code, named } = readRefusal(reply);
  switch (reply.status) {
    case 400:
      return code === 'FORMAT' ? nothingCharged(named) : unknown(named);
    case 401:
      return code === 'CHECK' ? misconfigured(`${named}: check merchantId, salts and saltIndex`) : unknown(named);
    case 422:
      return code ? { outcome: 'failed', ...declineOf(declines, code) } : unknown(named);
    case 429:
      return nothingCharged(named);
    case 500:
    case 503:
      return code === 'NOT_STARTED' ? nothingCharged(named) : unknown(named);
    default:
      return unknown(named);
  }
}
