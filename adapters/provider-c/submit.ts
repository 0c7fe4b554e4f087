/** Two ways to pay: we post the card, or the payer's browser posts our form and the payer types the card at C. */
import {
  defined,
  knownFields,
  formatAmount,
  formPost,
  nothingCharged,
  refusedField,
  unknown,
  type Ability,
  type Action,
  type StoredPayment,
  type BrowserInfo,
  type Card,
  type HttpReply,
  type Outcome,
  type Submission,
} from '@paywright/contract';
import { issuerReturn, toAction } from './challenge.ts';
import { accountIn, type Account, type Context, type Options } from './options.ts';
import { readAnswer } from './payment.ts';
import { forwardHash } from './signing.ts';
import { errors, findStatuses, readRefusal } from './statuses.ts';
import { isShort, MAX_WHOLE_DIGITS, withoutSeparators, type Fields } from './wire.ts';

/** The fields of the payer that banks check. The provider needs no other, so the payer's page asks for no other. */
export const payerFields = ['name', 'email', 'postalCode', 'country'] as const;
type Known = (typeof payerFields)[number];

type Payment = Submission<'card', Known>;

/** C's page uses neither the merchant's card nor a wallet. */
export const methodOf: Ability<'methodOf', Options, 'card', Known> = ({ card, wallet }, options) => {
  if (isAtPage(card, options)) return 'hosted_page';
  return wallet ? 'wallet_card' : 'card';
};

/** The payer types the card at C: the options say so, or we have no card (as in C's own samples). */
function isAtPage(card: Card | undefined, { cardEntry }: Options): boolean {
  return !card || cardEntry === 'page';
}

export const submit: Ability<'submit', Options, 'card', Known> = async (payment, ctx) => {
  const { card, money } = payment;
  const { http, options } = ctx;
  const account = accountIn(money.currency, options);
  if (!account) return nothingCharged(`the account takes no ${money.currency}`);
  if (!isShort(money.amount))
    return refusedField('amount', `C writes at most ${MAX_WHOLE_DIGITS} digits before the point`);
  if (isAtPage(card, options)) return { outcome: 'pending', action: pageAction(payment, account, ctx) };
  const reply = await http.send(formPost('/v1/payments', paymentFields(payment, account, ctx)));
  return paymentOutcome(reply, payment, account, ctx);
};

/** The payment with its card. */
function paymentFields(payment: Payment, account: Account, ctx: Context): Fields {
  const { card, payer, wallet, captureDelayHours } = payment;
  const known = knownFields(payer);
  return signed(account, {
    ...orderFields(payment, account),
    c_phone: known.phoneNumber,
    c_addr: known.address,
    c_city: known.city,
    c_region: known.state,
    c_zip: known.postalCode,
    c_land: known.country,
    c_ip: payer.ipAddress ?? undefined,
    ...ownFields(payment),
    c_pan: card.number.replace(/\D/g, ''),
    c_exp: card.expiryMonth + card.expiryYear.slice(-2),
    c_cvv: card.cvv,
    c_hold: captureDelayHours === undefined ? undefined : String(captureDelayHours),
    c_sec: threeDsWish(payment),
    c_browser: browserText(payment.browserInfo),
    c_wtype: wallet?.walletType,
    c_wauth: wallet?.authenticationValue,
    c_wxid: wallet?.xid,
    c_weci: wallet?.eci,
    ...addresses(ctx),
    c_3ds: issuerReturn(ctx.publicUrl),
  });
}

/** How long the hosted page accepts the form. */
const PAGE_SECONDS = 1800;

/** The redirect to C's page, on which the payer types the card. */
function pageAction(payment: Payment, account: Account, ctx: Context): Action {
  const fields = signed(account, {
    ...orderFields(payment, account),
    ...ownFields(payment),
    c_sec: threeDsWish(payment),
    ...addresses(ctx),
    c_until: String(Math.floor(ctx.now().getTime() / 1000) + PAGE_SECONDS),
  });
  return { type: 'redirect', method: 'POST', url: `${ctx.baseUrl}/v1/page`, fields };
}

function orderFields({ reference, money, payer }: Payment, { key }: Account) {
  const known = knownFields(payer);
  return {
    c_key: key,
    c_ref: reference,
    c_total: formatAmount(money),
    c_item: `Payment ${reference}`,
    ...defined({ c_name: known.name, c_mail: known.email }),
  };
}

/** Fields that we may use freely; every hash covers them. */
function ownFields({ paymentRequestId }: Payment) {
  return { x1: paymentRequestId, x2: '', x3: '', x4: '', x5: '' };
}

function addresses({ callbackUrl }: Context) {
  return { c_note: callbackUrl('providerC'), c_back: callbackUrl('providerChp') };
}

function threeDsWish({ is3ds }: Payment): string {
  return is3ds === undefined ? 'auto' : is3ds ? 'must' : 'skip';
}

/** The order of the interface. */
const browserMembers = [
  'acceptHeader',
  'colorDepth',
  'ip',
  'javaEnabled',
  'javascriptEnabled',
  'language',
  'screenHeight',
  'screenWidth',
  'timezone',
  'userAgent',
] as const satisfies readonly (keyof BrowserInfo)[];

function browserText(browserInfo: BrowserInfo | undefined): string | undefined {
  const json = JSON.stringify(browserInfo ?? {}, [...browserMembers]);
  return json === '{}' ? undefined : Buffer.from(json).toString('base64');
}

/** The fields as they are sent, followed by their hash. */
function signed<F extends Fields>(account: Account, fields: F): F & { readonly c_hash: string } {
  const sent = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === undefined ? value : withoutSeparators(value)]),
  ) as F;
  return { ...sent, c_hash: forwardHash(account, sent) };
}

/** The outcome of C's answer to a payment or to its completion. Only `success` and `failure` are final. */
export function paymentOutcome(
  reply: HttpReply,
  payment: Pick<StoredPayment, 'reference' | 'money' | 'providerReference'>,
  account: Account,
  ctx: Context,
): Outcome {
  if (reply.status !== 200) return errors.toOutcome(reply);
  const answer = readAnswer(reply, payment, account);
  if (!answer) return unknown('the answer is incomplete, unverified or not about this payment');
  const { form, state, id: providerReference } = answer;
  switch (state) {
    case 'success':
      return { outcome: 'succeeded', providerReference };
    case 'failure':
      return { outcome: 'failed', providerReference, ...readRefusal(form) };
    case 'challenge': {
      const action = toAction(form, ctx);
      return action
        ? { outcome: 'pending', providerReference, action }
        : { outcome: 'unknown', providerReference, reason: 'a 3D Secure step that cannot be read' };
    }
    default: {
      const isKnown = Object.hasOwn(findStatuses.payment, state);
      return { outcome: 'pending', providerReference, ...(isKnown ? {} : { unknownStatus: state }) };
    }
  }
}
