/** Plans which provider gives back how much. The command and the pages that offer it decide by the same plan. */
import { addDecimals, decimalsOf, fitsCurrency, JsonNumber, subtractDecimals, trimDecimal } from '@paywright/contract';
import { collectedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { GatewayError, invalidField } from '../../../base/errors.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import type { Registry } from '../../providers/registry.ts';
import { notPayable } from '../present/answer.ts';
import { disputesOf } from '../state/disputes.ts';
import { chargedOf, isMore, leftOf } from '../state/left-to-refund.ts';
import { unconfirmedRefund } from '../state/refund-reports.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

/** `amount` undefined: what is left. `attempt` undefined: of any attempt. */
export interface WantedRefund {
  readonly amount: string | undefined;
  readonly attempt: number | undefined;
}

/** The part of a refund that one provider gives back, of one attempt. */
export interface RefundPart {
  readonly attempt: Attempt;
  readonly amount: string;
}

/** Throws PAY004 if nothing can be refunded, VAL002 if the amount is wrong or more than is left. */
export type PlanRefund = (record: PaymentRecord, wanted: WantedRefund) => readonly RefundPart[];

export function createPlanRefund({ registry }: { readonly registry: Pick<Registry, 'byName'> }): PlanRefund {
  /**
   * Plans which provider gives back how much. Only a payment that was charged twice may need more than one provider.
   */
  function planParts(record: PaymentRecord, { amount: requested, attempt: only }: WantedRefund): readonly RefundPart[] {
    const isPaid = record.statusId === status.paid;
    const isMeant = ({ n }: Attempt): boolean => only === undefined || n === only;
    const came = record.attempts.filter((one) => isMeant(one) && isMore(collectedAmount(one), '0'));
    if (!isPaid && !(came.length && record.statusId !== status.refunded))
      throw notPayable(record, 'only a paid payment, or the part that came in, can be refunded');
    // If more came in than was charged, the excess is refunded only if the merchant names the amount.
    const limitOf = requested === undefined && isPaid ? chargedOf : collectedAmount;
    const charged = came.filter((one) => isMore(leftOf(record, one, limitOf(one)), '0'));
    if (!charged.length) throw notPayable(record, `nothing is left to refund: ${whyNothing(record)}`);
    // A provider that refused a refund before comes last.
    const refusals = ({ n }: Attempt): number =>
      record.refunds.filter(({ attempt, state }) => attempt === n && state === 'failed').length;
    const all = charged
      .filter(canRefund)
      .toSorted((one, other) => refusals(one) - refusals(other))
      .map((attempt) => ({ attempt, amount: leftOf(record, attempt, limitOf(attempt)) }));
    const unconfirmed = all.map(({ attempt }) => waitsForFetch(record, attempt)).find((number) => number !== undefined);
    if (unconfirmed !== undefined)
      throw notPayable(
        record,
        `the provider reported refund ${unconfirmed} as succeeded and as failed; try again once its status is fetched`,
      );
    const [first] = all;
    const unable = charged.find((attempt) => !canRefund(attempt));
    if (unable && (!first || requested === undefined)) throw notPayable(record, whyNot(unable));
    if (!first || requested === undefined) return all;

    const amount = trimDecimal(requested);
    const refuse = (message: string): GatewayError => invalidField('amount', new JsonNumber(requested), message);
    if (!isMore(amount, '0')) throw refuse('must be more than 0');
    const { currency } = first.attempt;
    if (!fitsCurrency({ amount, currency })) throw refuse(`${currency} has ${decimalsOf(currency)} decimals`);
    const same = all.filter(({ attempt }) => attempt.currency === currency);
    const whole = same.find(({ amount: left }) => !isMore(amount, left));
    if (whole) return [{ ...whole, amount }];
    const left = addDecimals(...same.map((part) => part.amount));
    if (isMore(amount, left)) throw refuse(`more than is left to refund: ${moneyText(left, currency)}`);
    return spread(same, amount);
  }

  function canRefund(attempt: Attempt): boolean {
    return registry.byName(accountRefOf(attempt))?.adapter.refund !== undefined;
  }

  function waitsForFetch(record: PaymentRecord, attempt: Attempt): string | undefined {
    const canFetch = registry.byName(accountRefOf(attempt))?.adapter.fetchStatus !== undefined;
    return canFetch ? unconfirmedRefund(record, attempt.n) : undefined;
  }

  function whyNot(attempt: Attempt): string {
    const { providerCode } = attempt;
    const isOff = registry.byName(accountRefOf(attempt)) === undefined;
    return isOff
      ? `provider ${providerCode} is off here: it can refund once it is on or draining`
      : `provider ${providerCode} cannot refund`;
  }

  return planParts;
}

/** Distributes the amount over the parts, in their order. Together they hold at least the amount. */
function spread(parts: readonly RefundPart[], amount: string): RefundPart[] {
  let rest = amount;
  return parts.flatMap(({ attempt, amount: left }) => {
    const taken = isMore(rest, left) ? left : rest;
    rest = subtractDecimals(rest, taken);
    return isMore(taken, '0') ? [{ attempt, amount: taken }] : [];
  });
}

function whyNothing(record: PaymentRecord): string {
  const disputes = record.attempts
    .filter(({ outcome }) => outcome === 'succeeded')
    .flatMap((attempt) => disputesOf(record, attempt).map((dispute) => ({ ...dispute, currency: attempt.currency })))
    .filter(({ isCounted }) => isCounted);
  if (!disputes.length) {
    const hasArrived = record.attempts.some((attempt) => isMore(collectedAmount(attempt), '0'));
    return hasArrived ? 'refunds in progress count as refunded' : 'the provider reports that nothing arrived';
  }
  return disputes
    .map(
      ({ number, stage, amount, currency }) =>
        `chargeback ${number ?? 'without number'} of ${moneyText(amount, currency)} is ${stage === 'lost' ? 'lost' : 'open'}`,
    )
    .join(', ');
}
