/** The order in which operators should look at alarms: by severity, then by the money at stake, then by time. */
import { compareDecimals } from '@paywright/contract';
import type { Alarm, AlarmAbout } from '../../database/collections/alarm.ts';
import { meaningOf, severities } from './kinds.ts';

type Ordered = Pick<Alarm, 'kind' | 'environment' | 'money' | 'lastSeenAt'>;
type Money = AlarmAbout['money'];

/** The most urgent first. Test payments come after live payments of the same severity. */
export function byUrgency(one: Ordered, other: Ordered): number {
  return (
    rankOf(one) - rankOf(other) ||
    Number(one.environment === 'test') - Number(other.environment === 'test') ||
    compareMoney(other.money, one.money) ||
    other.lastSeenAt.getTime() - one.lastSeenAt.getTime()
  );
}

function rankOf({ kind }: Pick<Alarm, 'kind'>): number {
  return severities.indexOf(meaningOf(kind).severity);
}

/**
 * Currencies whose unit is worth so little that amounts have more digits: how many digits more than in euros. They put
 * 7500 JPY below 590 EUR. Exchange rates are not needed: this decides only the order of a list.
 */
const extraDigits: Readonly<Record<string, number>> = {
  CLP: 3,
  COP: 3,
  HUF: 2,
  IDR: 4,
  INR: 2,
  ISK: 2,
  JPY: 2,
  KES: 2,
  KRW: 3,
  NGN: 3,
  PHP: 1,
  RUB: 2,
  THB: 1,
  TRY: 1,
  TWD: 1,
  UAH: 1,
  VND: 4,
};

/** No money comes first. */
export function compareMoney(one: Money, other: Money): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  return digitsOf(one) - digitsOf(other) || compareDecimals(one.amount, other.amount);
}

/** The number of digits before the decimal point, as if the amount was in euros. */
function digitsOf({ amount, currency }: NonNullable<Money>): number {
  return amount.split('.')[0]!.length - (extraDigits[currency] ?? 0);
}
