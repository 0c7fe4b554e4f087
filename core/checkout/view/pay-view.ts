/** What the parts of the payer's page are made from. */
import type { PayerWay, PayPage, PayPageDetails } from '../../engine/payments/types/pay-page.ts';
import type { Speech } from '../../html/words/index.ts';

export interface PayView {
  readonly speech: Speech;
  readonly page: PayPage;
  readonly details: PayPageDetails;
  /** Those that work on the payer's device. */
  readonly ways: readonly PayerWay[];
  /** The one whose form is open. */
  readonly way: PayerWay | undefined;
  /** The page itself, with what its address has to carry: `?k=…`. */
  readonly address: string;
  /** Where the merchant's logo is; null: there is none. */
  readonly logo: string | null;
  /** The amount as the payer's language writes it. */
  readonly amount: string;
  /** What the payer typed, by field. */
  readonly typed: Readonly<Record<string, string>>;
  readonly problems: Problems;
  /** The payer does not want to be led on to the shop. */
  readonly stays: boolean;
  readonly now: Date;
}

/** Why what the payer sent was not taken. */
export interface Problems {
  /** By field, in the order of the form. */
  readonly fields: ReadonlyMap<string, string>;
  /** About no field in particular. */
  readonly general: string | null;
}

export const noProblems: Problems = { fields: new Map(), general: null };
