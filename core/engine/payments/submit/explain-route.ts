/** Explains which route rule applies to a payment, and why the others do not. Sends no request. */
import { paymentMethods, type InputKind, type Money } from '@paywright/contract';
import type { AccountUser } from '../../providers/account-access.ts';
import { adapterOfRef } from '../../providers/account-ref.ts';
import type { Registry } from '../../providers/registry.ts';
import { createReadProviderAccount } from './provider-account.ts';
import { createRouting, type RouteFacts, type RoutingDeps, type SkippedAdapter } from './routing.ts';

/** The kinds of input that a route can be explained for. */
export const explainedInputs = ['card', 'billing', 'token', 'upi'] as const satisfies readonly InputKind[];

/** What is known of the payment. */
export interface RouteQuestion {
  readonly unit: string;
  /** Decimal text. */
  readonly amount: string;
  /** Absent: a card. */
  readonly input?: (typeof explainedInputs)[number] | undefined;
  /** The country of the payer. Absent: PT. */
  readonly country?: string | undefined;
  /** The first digits of the card. */
  readonly bin?: string | undefined;
  /** The card comes from a wallet. */
  readonly wallet?: boolean | undefined;
  /** The merchant demands 3D Secure. */
  readonly is3ds?: boolean | undefined;
  /** A live payment. Absent: a test payment. */
  readonly live?: boolean | undefined;
  /** Undefined: a merchant without accounts of its own. */
  readonly merchant?: AccountUser | undefined;
  /** The account that the merchant names: `<adapter>/<account>`. */
  readonly account?: string | undefined;
}

export interface ExplainedRoute {
  /** Null: no rule applies, or the merchant named the account. */
  readonly ruleId: number | null;
  /** The first account gets the payment, the others are for a fallback. Empty: the payment would be refused. */
  readonly candidates: readonly { readonly adapter: string; readonly methodId: number; readonly money: Money }[];
  readonly skipped: readonly Pick<SkippedAdapter, 'ruleId' | 'adapter' | 'why'>[];
  /** For each adapter of the rules: the accounts that the merchant may use, in the order in which they are tried. */
  readonly open: readonly OpenAccounts[];
}

export interface OpenAccounts {
  readonly adapter: string;
  readonly accounts: readonly string[];
  /** The merchant is assigned to one of the accounts. */
  readonly isAssigned: boolean;
}

/** Throws VAL002 for an account that the merchant may not use. */
export function explainRoute(
  deps: RoutingDeps & { readonly registry: Registry },
  question: RouteQuestion,
): ExplainedRoute {
  const { registry, rules } = deps;
  const { merchant } = question;
  const account =
    question.account === undefined ? undefined : createReadProviderAccount(registry)(question.account, merchant);
  const skipped: Pick<SkippedAdapter, 'ruleId' | 'adapter' | 'why'>[] = [];
  const route = createRouting(deps).choose({ ...factsOf(question), merchant, account }, ({ ruleId, adapter, why }) => {
    skipped.push({ ruleId, adapter, why });
  });
  return {
    ruleId: route?.ruleId ?? null,
    candidates: (route?.candidates ?? []).map(({ active, money }) => {
      return { adapter: active.ref, methodId: paymentMethods[active.adapter.manifest.ways[0].method], money };
    }),
    skipped,
    open: [...new Set(rules.flatMap(({ use }) => use).map(adapterOfRef))].map((adapter) => {
      const accounts = registry.accountsFor(adapter, merchant);
      const isOwn = ({
        ref,
        merchants,
      }: {
        readonly ref: string;
        readonly merchants?: readonly string[] | undefined;
      }) => merchant !== undefined && accounts.includes(ref) && merchants?.includes(merchant.name) === true;
      return { adapter, accounts, isAssigned: registry.accountsOf(adapter).some(isOwn) };
    }),
  };
}

const emptyPayer = {
  name: '',
  email: '',
  phoneNumber: '',
  address: '',
  city: '',
  state: '',
  postalCode: '',
  ipAddress: null,
};

function factsOf({
  unit,
  amount,
  input: kind = 'card',
  country = 'PT',
  bin = '',
  wallet,
  is3ds,
  live,
}: RouteQuestion): RouteFacts {
  const card = { number: bin, expiration: '', expiryMonth: '', expiryYear: '', cvv: '' };
  return {
    unit,
    amount,
    sandbox: !live,
    input: {
      kind,
      payer: { ...emptyPayer, country },
      ...(kind === 'card' && { card }),
      ...(wallet && { wallet: {} }),
      ...(is3ds && { is3ds }),
      body: { ...(is3ds && { is3ds }), ...(wallet && { wallet: {} }) },
    },
  };
}
