/** The charge: what we ask, and what A's answer to it, to `complete` and to a status question says. */
import {
  declineOf,
  misconfigured,
  nothingCharged,
  readAs,
  toMinor,
  unknown,
  v,
  type Action,
  type AttemptFacts,
  type BrowserInfo,
  type Card,
  type DeclineCode,
  type HttpReply,
  type HttpRequest,
  type Money,
  type Outcome,
  type Provider,
  type Submission,
  type Wallet,
} from '@gateway/contract';
import { isTxn, readObject, Sum } from './messages.ts';
import type { Options } from './options.ts';

/** Words of `why`. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  REFUSED: '05',
  FUNDS: '51',
  EXPIRED_CARD: '54',
  NOT_PERMITTED: '57',
  LIMIT: '61',
  BAD_CVC: '05',
  AUTH3DS: '05',
  ABANDONED: '05',
};

/** A POST that may be repeated: A answers a known `Idempotency-Key` with what it answered before. */
export function post({ apiKey }: Options, path: string, idempotencyKey: string, body: unknown): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'X-A-Key': apiKey,
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify(body),
  };
}

/** The body of a charge; `sum` as `readMinor` gave it. */
export function chargeBody(payment: Submission, card: Card, minor: number, provider: Provider<Options>): unknown {
  const { payer, browserInfo, wallet } = payment;
  return {
    acct: provider.options.account,
    ref: payment.reference,
    mode: provider.sandbox ? 'test' : 'live',
    sum: { minor, cur: payment.money.currency },
    card: {
      pan: card.number,
      expMonth: card.expiryMonth,
      expYear: card.expiryYear,
      cvc: card.cvv,
      holder: payer.name,
    },
    payer: {
      name: payer.name,
      mail: payer.email,
      phone: payer.phoneNumber,
      street: payer.address,
      city: payer.city,
      region: payer.state,
      zip: payer.postalCode,
      land: payer.country,
      ip: payer.ipAddress,
    },
    capture: { delayHours: payment.captureDelayHours ?? 0 },
    stepUp: payment.is3ds === undefined ? 'auto' : payment.is3ds ? 'force' : 'skip',
    ...(browserInfo ? { device: deviceOf(browserInfo) } : {}),
    ...(wallet ? { wallet: walletOf(wallet) } : {}),
    backUrl: provider.callbackUrl('providerA3ds'),
  };
}

// JSON.stringify leaves out members that are undefined.
function deviceOf(browser: BrowserInfo): unknown {
  return {
    accept: browser.acceptHeader,
    depth: browser.colorDepth,
    ip: browser.ip,
    java: browser.javaEnabled,
    script: browser.javascriptEnabled,
    language: browser.language,
    height: browser.screenHeight,
    width: browser.screenWidth,
    zone: browser.timezone,
    agent: browser.userAgent,
  };
}

function walletOf({ walletType, authenticationValue, xid, eci }: Wallet): unknown {
  return { kind: walletType, cryptogram: authenticationValue, xid, eci };
}

const Text = v.fallback(v.nullish(v.string()), null);

/** A charge answer. A status answer has more members (status.ts). */
export const Charge = v.object({
  txn: v.pipe(v.string(), v.check(isTxn, '1 to 40 characters')),
  ref: v.string(),
  state: v.pipe(v.string(), v.minLength(1)),
  sum: Sum,
  why: Text,
  whyText: Text,
  stepUp: v.fallback(v.nullish(v.object({ url: v.string(), answered: v.optional(v.boolean()) })), null),
});
export type Charge = v.InferOutput<typeof Charge>;

/** A charge answer that is about what was asked; undefined where it cannot be read or names another ref or sum. */
export function readCharge(reply: HttpReply, { reference, money }: AttemptFacts): Charge | undefined {
  const charge = readAs(Charge, readObject(reply.body));
  return charge && isAbout(charge, reference, money) ? charge : undefined;
}

export function isAbout({ ref, sum }: Pick<Charge, 'ref' | 'sum'>, reference: string, money: Money): boolean {
  return ref === reference && sum.cur === money.currency && sum.minor === toMinor(money);
}

/** The payer's way to 3D Secure; undefined where the answer names no address of the web. */
export function stepUpAction({ txn, stepUp }: Pick<Charge, 'txn' | 'stepUp'>): Action | undefined {
  const url = stepUp?.url ?? '';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return undefined;
  return { type: 'redirect', method: 'GET', url, transactionId: txn };
}

/** How the card was refused: A's word, and a failed 3D Secure step. */
export function refusalOf({ why, whyText }: Pick<Charge, 'why' | 'whyText'>) {
  return { ...declineOf(declines, why, whyText), ...(why === 'AUTH3DS' ? { threeDsResult: 'N' } : {}) };
}

/** The outcome of a charge, or of its completion. */
export function chargeOutcome(reply: HttpReply, payment: AttemptFacts): Outcome {
  if (reply.status !== 200) return errorOutcome(reply);
  const charge = readCharge(reply, payment);
  if (!charge) return unknown('the answer is no charge answer about this payment');
  const providerReference = charge.txn;
  switch (charge.state) {
    case 'OK':
      return { outcome: 'succeeded', providerReference };
    case 'HOLD':
      return { outcome: 'pending', providerReference, authorised: true };
    case 'NO':
      return { outcome: 'failed', providerReference, ...refusalOf(charge) };
    case 'WAIT':
      return { outcome: 'pending', providerReference };
    case 'STEP_UP': {
      const action = stepUpAction(charge);
      return action
        ? { outcome: 'pending', providerReference, action }
        : { outcome: 'unknown', providerReference, reason: 'a 3D Secure step without an address' };
    }
    default:
      return { outcome: 'unknown', providerReference, unknownWord: charge.state };
  }
}

const ErrorBody = v.object({
  error: v.object({ code: Text, text: Text, field: Text, charged: Text }),
});

/** What an error answer says; members that are missing are null. */
export function readError(reply: HttpReply): v.InferOutput<typeof ErrorBody>['error'] {
  const none = { code: null, text: null, field: null, charged: null };
  return readAs(ErrorBody, readObject(reply.body))?.error ?? none;
}

/** What an error answer of any POST means: certainly nothing moved, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { code, field, charged } = readError(reply);
  const named = `A answered ${reply.status}${code ? ` ${code}` : ''}${field ? ` (${field})` : ''}`;
  switch (reply.status) {
    case 401:
      return code === 'NO_KEY' ? misconfigured(`${named}: check apiKey and account`) : unknown(named);
    case 400:
      return code === 'UNREADABLE' ? nothingCharged(named) : unknown(named);
    case 422:
      return code === 'INVALID' ? nothingCharged(named) : unknown(named);
    case 429:
      return nothingCharged(named);
    default:
      return reply.status >= 500 && charged === 'no' ? nothingCharged(named) : unknown(named);
  }
}
