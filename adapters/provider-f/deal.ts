/** A deal: how F shows a payment in every answer. Unknown members are ignored. */
import {
  decimalText,
  formatAmount,
  isCurrency,
  isSameMoney,
  isWebAddress,
  jsonInteger,
  namesAttempt,
  readJsonBody,
  v,
  type Action,
  type AttemptFacts,
  type HttpReply,
  type Money,
  type StoredPayment,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';

/** Only an id of this form becomes part of a path. */
export function isDealId(text: string): boolean {
  return /^d_[A-Za-z0-9]{6,40}$/.test(text);
}

const Text = v.string();

export const Deal = v.object({
  id: v.pipe(Text, v.check(isDealId)),
  shop: Text,
  /** Our reference of the attempt. */
  ref: Text,
  phase: Text,
  /** Increases with every change of the deal. */
  mark: v.pipe(jsonInteger(), v.minValue(1)),
  gross: v.object({ v: decimalText, c: Text }),
  /** The total refunded so far, in the currency of `gross`. */
  returned: decimalText,
  /** The total taken back by a dispute, in the currency of `gross`. */
  clawed: decimalText,
  claim: Text,
  /** The reason why the deal was dropped. */
  why: v.nullish(Text),
  /** The address to which the payer must go. */
  goTo: v.nullish(Text),
});
export type Deal = v.InferOutput<typeof Deal>;

const Answer = v.object({ deal: Deal });

/** The deal in an answer; undefined if it is unreadable. */
export function readDeal(reply: HttpReply): Deal | undefined {
  return readJsonBody(Answer, reply)?.deal;
}

type Asked = Pick<StoredPayment, 'reference' | 'providerReference'>;

/** True for a deal of our shop about this attempt, with F's own id if it is known. */
export function isAbout({ id, shop, ref }: Deal, asked: Asked, { shopId }: Options): boolean {
  return shop === shopId && namesAttempt(asked, ref, id);
}

/** True if the deal has exactly the attempt's amount and currency. */
export function hasMoneyOf({ gross }: Deal, { money }: AttemptFacts): boolean {
  return isSameMoney({ amount: gross.v, currency: gross.c }, money);
}

/** An amount of the deal, with the decimals of its currency; unchanged if the currency is unknown. */
export function moneyOf({ gross }: Deal, amount: string = gross.v): Money {
  const currency = gross.c;
  return { amount: isCurrency(currency) ? formatAmount({ amount, currency }) : amount, currency };
}

/** True if the payer may be sent to this address: F's own host, or in live mode also a host below it. */
export function isWalletAddress(goTo: string, { baseUrl, sandbox }: Context): boolean {
  if (!isWebAddress(goTo)) return false;
  const [wallet, api] = [new URL(goTo), new URL(baseUrl)];
  if (wallet.protocol !== api.protocol) return false;
  if (sandbox) return wallet.host === api.host;
  return wallet.hostname === api.hostname || wallet.hostname.endsWith(`.${api.hostname}`);
}

/** The payer's next step. Empty if there is none, or if F names an address that is not its own. */
export function actionOf({ phase, goTo }: Deal, ctx: Context): { readonly action?: Action } {
  if (phase !== 'open' || typeof goTo !== 'string' || !isWalletAddress(goTo, ctx)) return {};
  return { action: { type: 'redirect', method: 'GET', url: goTo } };
}
