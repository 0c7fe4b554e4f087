/** Reads the payer's page for a visit, and counts the visit. */
import { createAddressBudget, createMinuteBudget, type BudgetDeps } from '../engine/access/index.ts';
import { GatewayError } from '../base/errors.ts';
import { toAddressBlock } from '../base/net/address-block.ts';
import type { Payments } from '../engine/payments/service.ts';
import type { PayPage } from '../engine/payments/types/pay-page.ts';
import { readPaymentRequestId } from '../http/input/path-id.ts';
import type { Ctx } from '../http/state.ts';
import { singleValue } from './show.ts';

/** Visits per minute: of one payment by one address, and by an address for visits without a valid token. */
const visitLimit = 120;
const strangersLimit = 60;
export interface VisitOptions {
  /** The parameters of the address that count. */
  readonly parts?: readonly ('k' | 'r' | 't')[];
  /** The key of the link, if it is not in the address. */
  readonly linkKey?: string | undefined;
  /** Requests nothing about the payment. */
  readonly isQuiet?: boolean;
  /** The provider sent the payer back because the payer gave up. */
  readonly isCancelled?: boolean;
  /** False: another visit of the same request was counted. */
  readonly isCounted?: boolean;
}

/**
 * Undefined: the visit proves nothing. `invalid`: its link is wrong. Neither depends on whether the payment exists.
 * Throws RATE001.
 */
export type Visit = (ctx: Ctx, options?: VisitOptions) => Promise<PayPage | 'invalid' | undefined>;

export function createVisits({
  payments,
  ...deps
}: BudgetDeps & { readonly payments: Pick<Payments, 'payPage'> }): Visit {
  const strangers = createAddressBudget(strangersLimit, 'visits of an address without the link', deps);
  // Each payment and address has its own counts: a mail scanner that opens the link uses up only its own, and neither
  // visits nor requests of a head use up the count of forms.
  const visits = createMinuteBudget(visitLimit, 'visits of a payment by an address', deps);
  const heads = createMinuteBudget(visitLimit, 'requests of the head of a payment’s page by an address', deps);
  const forms = createMinuteBudget(visitLimit, 'forms of a payment by an address', deps);

  /**
   * Counts a visit for its payment and address if the visit has a valid token, else for its address alone. Neither
   * guessing ids nor opening the link again and again therefore locks out a payer at another address.
   */
  return async function visit(ctx, options = {}) {
    const { parts = ['k', 'r', 't'], isQuiet = false, isCancelled = false, isCounted = true } = options;
    const [inAddress, returnPart, token] = (['k', 'r', 't'] as const).map((part) =>
      parts.includes(part) ? singleValue(ctx.query[part]) : undefined,
    );
    const linkKey = options.linkKey ?? inAddress;
    const id = readPaymentRequestId(ctx.params['id']);
    const visited = {
      ...(linkKey && { linkKey }),
      ...(returnPart && { returnPart }),
      ...(token && { token }),
      ...(isQuiet && { isQuiet }),
      ...(isCancelled && { isCancelled }),
    };
    const budget = ctx.method === 'POST' ? forms : ctx.method === 'HEAD' ? heads : visits;
    const admit = async (): Promise<void> => (isCounted ? budget.demand(`${id} ${toAddressBlock(ctx.ip)}`) : undefined);
    const page = await payments.payPage(id, visited, admit).catch(missing);
    if (page) ctx.state.paymentRequestId = id;
    else if (isCounted) await strangers.demand(ctx.ip);
    // The answer is the same whether the payment does not exist or the key of its link is wrong.
    return page ?? (linkKey === undefined ? undefined : 'invalid');
  };
}

/** No such payment: the answer is that of a visit without a valid token, so that ids cannot be tried out. */
function missing(error: unknown): undefined {
  if (error instanceof GatewayError && error.kind === 'NOT_FOUND') return undefined;
  throw error;
}
