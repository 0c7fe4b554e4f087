/** What an alarm about a payment stores: the merchant, the mode, and the money at stake. */
import type { AlarmAbout } from '../../../database/collections/alarm.ts';
import { latestAttempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';

/** Without `money`, the whole amount of the payment is at stake. */
export function aboutPayment(record: PaymentRecord, money?: AlarmAbout['money']): AlarmAbout {
  const { ownerId, environment, amount, unit } = record;
  const latest = latestAttempt(record);
  const whole = { amount: latest?.amount ?? amount, currency: latest?.currency ?? unit };
  return { ownerId, environment, money: money ?? whole };
}
