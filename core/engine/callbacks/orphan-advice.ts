/** What to do about money that a provider reports for a payment that does not exist. */
import { moneyText } from '../../base/text/money-text.ts';
import { isChargedStatus } from '../providers/mapped-event.ts';
import type { DeadLetterDetails } from './callback-reads.ts';

/** The steps, in order. Empty unless the callback needs review because of such money. */
export function orphanAdvice({ state, adapter, events, unknownPaymentIds }: DeadLetterDetails): readonly string[] {
  if (state !== 'dead_letter') return [];
  const orphan = events.find(
    ({ kind, status, paymentRequestId }) =>
      kind === 'payment' &&
      isChargedStatus(status) &&
      paymentRequestId !== null &&
      unknownPaymentIds.includes(paymentRequestId),
  );
  if (!orphan) return [];
  const { amount, currency, reference, providerReference } = orphan;
  const money = amount === null ? 'a charge' : `a charge of ${moneyText(amount, currency ?? '')}`;
  return [
    `${adapter} reports ${money} under ${reference ?? 'a reference'}, which is no payment here. The money is at the provider.`,
    `Find the charge in the provider’s console${providerReference === null ? '' : `, by its reference ${providerReference}`}.`,
    'If another system uses the same account of the provider, discard this callback. Give that system an account of its own.',
    'If the database was restored from a backup, the payment is missing here: ask the merchant whether the order was delivered.',
    'Otherwise refund the charge in the provider’s console. Then discard this callback, with the refund’s reference as the reason.',
  ];
}
