/** The data from which the parts of the payer's page are made. */
import type { PayerWay, PayPage, PayPageDetails } from '../../engine/payments/types/pay-page.ts';
import type { Speech } from '../../html/words/index.ts';

export interface PayView {
  readonly speech: Speech;
  readonly page: PayPage;
  readonly details: PayPageDetails;
  /** The ways that work on the payer's device. */
  readonly ways: readonly PayerWay[];
  /** The way whose form is open. */
  readonly way: PayerWay | undefined;
  /** The address of the page with the key of the link: `?k=…`. */
  readonly link: string;
  /** The address of what is shown now: `link`, and whether the payer chose to pay another way. */
  readonly address: string;
  /**
   * How an open step is treated: the page leads to the bank immediately (`lead`, right after the form was sent), asks
   * whether to continue (`ask`), or offers the other ways (`other`).
   */
  readonly openStep: 'lead' | 'ask' | 'other';
  /** True if the provider sent the payer back because the payer gave up. */
  readonly isCancelled: boolean;
  /** The path from the page to the root of the service, such as `../`. */
  readonly base: string;
  /** The address of the merchant's logo. Null if there is none. */
  readonly logo: string | null;
  /** The amount as the payer's language writes it. */
  readonly amount: string;
  /** The payer's input, by field. */
  readonly typed: Readonly<Record<string, string>>;
  readonly problems: Problems;
  /** The payer's country by what the browser and the currency suggest. Undefined if they suggest none. */
  readonly likelyCountry: string | undefined;
  /** True if the payer chose not to be redirected to the shop. */
  readonly stays: boolean;
  readonly now: Date;
}

/** Why the payer's input was refused. */
export interface Problems {
  /** Problems by field, in the order of the form. */
  readonly fields: ReadonlyMap<string, string>;
  /** A problem that belongs to no field. */
  readonly general: string | null;
}

export const noProblems: Problems = { fields: new Map(), general: null };
