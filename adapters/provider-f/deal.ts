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

/** Only an id of this form ever becomes part of a path. */
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
  /** Grows with every change of the deal. */
  mark: v.pipe(jsonInteger(), v.minValue(1)),
  gross: v.object({ v: decimalText, c: Text }),
  /** All that was given back so far, in the currency of `gross`. */
  returned: decimalText,
  /** All that a dispute has taken back, in the currency of `gross`. */
  clawed: decimalText,
  claim: Text,
  /** Why it was dropped. */
  why: v.nullish(Text),
  /** Where the payer has to go. */
  goTo: v.nullish(Text),
});
export type Deal = v.InferOutput<typeof Deal>;

const Answer = v.object({ deal: Deal });

/** The deal of an answer; undefined where it cannot be read. */
export function readDeal(reply: HttpReply): Deal | undefined {
  return readJsonBody(Answer, reply)?.deal;
}

type Asked = Pick<StoredPayment, 'reference' | 'providerReference'>;

/** True for a deal of our shop about this attempt, and under F's own id where one is known. */
export function isAbout({ id, shop, ref }: Deal, asked: Asked, { shopId }: Options): boolean {
  return shop === shopId && namesAttempt(asked, ref, id);
}

/** True where the deal is about exactly the attempt's money. */
export function hasMoneyOf({ gross }: Deal, { money }: AttemptFacts): boolean {
  return isSameMoney({ amount: gross.v, currency: gross.c }, money);
}

/** An amount of the deal, spelled with the decimals of its currency; as sent in a currency that nobody knows. */
export function moneyOf({ gross }: Deal, amount: string = gross.v): Money {
  const currency = gross.c;
  return { amount: isCurrency(currency) ? formatAmount({ amount, currency }) : amount, currency };
}

/** True where the payer may be sent there: at F's own host, or live also below it. */
export function isWalletAddress(goTo: string, { baseUrl, sandbox }: Context): boolean {
  if (!isWebAddress(goTo)) return false;
  const [wallet, api] = [new URL(goTo), new URL(baseUrl)];
  if (wallet.protocol !== api.protocol) return false;
  if (sandbox) return wallet.host === api.host;
  return wallet.hostname === api.hostname || wallet.hostname.endsWith(`.${api.hostname}`);
}

/** What the payer has to do; empty where that is nothing, or F names an address that is not its own. */
export function actionOf({ phase, goTo }: Deal, ctx: Context): { readonly action?: Action } {
  if (phase !== 'open' || typeof goTo !== 'string' || !isWalletAddress(goTo, ctx)) return {};
  return { action: { type: 'redirect', method: 'GET', url: goTo } };
}
