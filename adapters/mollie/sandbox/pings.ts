/** Mollie's pings: the id of a payment that changed, and nothing else. */
import { formType, writeForm, type CallbackReply } from '@paywright/contract';
import type { Message } from '@paywright/contract/sandbox';
import { newId, type Payment } from './books.ts';

/** Only 200 ends the repetitions. */
export function isTaken({ status }: CallbackReply): boolean {
  return status === 200;
}

/**
 * A ping about `happens`, which changes the payment when the ping is first sent. Nothing is signed: a forged ping names
 * a payment that does not exist.
 */
export function ping(
  { id, webhookUrl }: Pick<Payment, 'id' | 'webhookUrl'>,
  what: string,
  after: number,
  happens?: () => void,
): Message {
  let hasHappened = false;
  return {
    name: `ping ${what}`,
    after,
    request({ forged }) {
      if (!hasHappened) happens?.();
      hasHappened = true;
      if (webhookUrl === undefined) return undefined;
      const body = writeForm({ id: forged ? newId('tr_') : id });
      return { method: 'POST', url: webhookUrl, headers: { 'Content-Type': formType }, body };
    },
  };
}
