/** Which of E's two interfaces a payment takes. It stays with the one that it was submitted through. */
import type { AttemptFacts, StoredPayment } from '@gateway/contract';
import type { Options } from './options.ts';
import { isTranRef } from './transaction.ts';

export function takesH2h({ isH2h }: AttemptFacts, { flow }: Options): boolean {
  return flow === 'auto' ? isH2h : flow === 'jws';
}

/** As `takesH2h`, unless what E gave the payment tells that `flow` was another one then. */
export function tookH2h(payment: StoredPayment, options: Options): boolean {
  const { action, providerReference } = payment;
  if (action?.type === 'confirm') return true;
  if (providerReference !== undefined && !isTranRef(providerReference)) return false;
  return takesH2h(payment, options);
}
