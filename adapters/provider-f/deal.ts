/** A deal: how F shows a payment in every answer. Unknown members are ignored. */
import {
  compareDecimals,
  formatAmount,
  isCurrency,
  isDecimal,
  isWebAddress,
  jsonInteger,
  readAs,
  readJsonObject,
  v,
  type Action,
  type AttemptFacts,
  type HttpReply,
  type Money,
  type Provider,
} from '@gateway/contract';
import type { Options } from './options.ts';

/** Only an id of this form ever becomes part of a path. */
export function isDealId(text: string): boolean {
  return /^d_[A-Za-z0-9]{6,40}$/.test(text);
}

/** Major units as decimal text. */
const Amount = v.pipe(v.string(), v.check(isDecimal));

export const Deal = v.object({
  id: v.pipe(v.string(), v.check(isDealId)),
  shop: v.string(),
  /** Our reference of the attempt. */
  ref: v.string(),
  phase: v.string(),
  /** Grows with every change of the deal. */
  mark: v.pipe(jsonInteger(), v.minValue(1)),
  gross: v.object({ v: Amount, c: v.string() }),
  /** All that was given back so far, in the currency of `gross`. */
  returned: Amount,
  /** All that a dispute has taken back, in the currency of `gross`. */
  clawed: Amount,
  claim: v.string(),
  /** Why it was dropped. */
  why: v.nullish(v.string()),
  /** Where the payer has to go. */
  goTo: v.nullish(v.string()),
});
export type Deal = v.InferOutput<typeof Deal>;

const Answer = v.object({ deal: Deal });

/** The deal of an answer; undefined where it cannot be read. */
export function readDeal({ body }: HttpReply): Deal | undefined {
  return readAs(Answer, readJsonObject(body))?.deal;
}

/** True for a deal of our shop about this attempt, and under F's own id where one is known. */
export function isAbout(
  deal: Deal,
  { reference, id = deal.id }: { reference: string; id?: string | undefined },
  { shopId }: Options,
): boolean {
  return deal.shop === shopId && deal.ref === reference && deal.id === id;
}

/** True where the deal is about exactly the attempt's money, compared as a number. */
export function hasMoneyOf({ gross }: Deal, { money }: AttemptFacts): boolean {
  return gross.c === money.currency && compareDecimals(gross.v, money.amount) === 0;
}

/** An amount of the deal, spelled with the decimals of its currency; as sent in a currency that nobody knows. */
export function moneyOf({ gross }: Deal, amount: string = gross.v): Money {
  const currency = gross.c;
  return { amount: isCurrency(currency) ? formatAmount({ amount, currency }) : amount, currency };
}

/** True where the payer may be sent there: at F's own host, or live also below it. */
export function isWalletAddress(goTo: string, { baseUrl, sandbox }: Provider<Options>): boolean {
  if (!isWebAddress(goTo)) return false;
  const [wallet, api] = [new URL(goTo), new URL(baseUrl)];
  if (wallet.protocol !== api.protocol) return false;
  if (sandbox) return wallet.host === api.host;
  return wallet.hostname === api.hostname || wallet.hostname.endsWith(`.${api.hostname}`);
}

/** What the payer has to do; undefined where that is nothing, or F names an address that is not its own. */
export function actionOf({ phase, goTo }: Deal, provider: Provider<Options>): Action | undefined {
  if (phase !== 'open' || typeof goTo !== 'string' || !isWalletAddress(goTo, provider)) return undefined;
  return { type: 'redirect', method: 'GET', url: goTo };
}
