/** Changes of an order, together with the webhooks that report them. */
import type { Money } from '@paywright/contract';
import type { Message } from '@paywright/contract/sandbox';
import { newEntry, noteRefunds, type Books, type Entry, type Order, type Refund } from './books.ts';
import { presentAuthorization, presentCapture, presentDispute, presentOrder, presentRefund } from './present.ts';
import type { News, Notify } from './webhooks.ts';

export type Reports = ReturnType<typeof createReports>;

export function createReports({ byPart }: Pick<Books, 'byPart'>, notify: Notify, baseUrl: string) {
  function newsOfAuthorization(end: string, made: Entry, order: Order): News {
    const resource = presentAuthorization({ ...made, status: end }, order, baseUrl);
    return { type: `PAYMENT.AUTHORIZATION.${end}`, resourceType: 'authorization', resource };
  }
  function newsOfCapture(made: Entry, order: Order, status: string): News {
    const resource = presentCapture({ ...made, status }, order, baseUrl);
    return { type: `PAYMENT.CAPTURE.${status}`, resourceType: 'capture', resource };
  }

  return {
    /** The payer approved the order. */
    approved(order: Order): Message {
      // The webhook shows the order of this moment, even if it is captured before the webhook is sent.
      const resource = presentOrder(order, baseUrl);
      const news = (): News => ({ type: 'CHECKOUT.ORDER.APPROVED', resourceType: 'checkout-order', resource });
      return notify('order:APPROVED', news, 1);
    },

    authorize(order: Order): Message {
      const made = newEntry(order.amount, 'CREATED', order);
      order.authorization = made;
      byPart.set(made.id, order);
      return notify('authorization:CREATED', () => newsOfAuthorization('CREATED', made, order), 1);
    },

    released(order: Order, reserved: Entry): Message {
      return notify('authorization:VOIDED', () => newsOfAuthorization('VOIDED', reserved, order), 1);
    },

    /** The capture is pending first if PayPal reviews it. */
    capture(order: Order, amount: Money): Message[] {
      const isReviewed = order.choice === 'review';
      const made = newEntry(amount, isReviewed ? 'PENDING' : 'COMPLETED', order);
      order.captures.push(made);
      byPart.set(made.id, order);
      const completed = (after: number): Message =>
        notify(
          'capture:COMPLETED',
          () => newsOfCapture(made, order, 'COMPLETED'),
          after,
          () => {
            if (made.status === 'PENDING') made.status = 'COMPLETED';
          },
        );
      if (!isReviewed) return [completed(1)];
      return [notify('capture:PENDING', () => newsOfCapture(made, order, 'PENDING'), 1), completed(2)];
    },

    /** Stores a refund. */
    refunded(order: Order, taken: Entry, made: Refund, end: 'COMPLETED' | 'FAILED'): Message {
      order.refunds.push(made);
      byPart.set(made.id, order);
      noteRefunds(order, taken);
      const type = end === 'FAILED' ? 'PAYMENT.REFUND.FAILED' : 'PAYMENT.CAPTURE.REFUNDED';
      const news = (): News => ({ type, resourceType: 'refund', resource: presentRefund(made, baseUrl) });
      return notify(`refund ${end}`, news, 1, () => {
        made.status = end;
        noteRefunds(order, taken);
      });
    },

    /** PayPal takes the money back. */
    reversed(order: Order, made: Refund): Message {
      order.reversals.push(made);
      byPart.set(made.id, order);
      const resource = presentRefund(made, baseUrl);
      return notify('reversed', () => ({ type: 'PAYMENT.CAPTURE.REVERSED', resourceType: 'refund', resource }), 1);
    },

    /** The dispute of the order was opened or resolved. */
    disputed(order: Order, end: 'CREATED' | 'RESOLVED'): Message {
      const dispute = order.dispute!;
      byPart.set(dispute.id, order);
      const resource = presentDispute(dispute, order);
      return notify(
        `dispute ${end}`,
        () => ({ type: `CUSTOMER.DISPUTE.${end}`, resourceType: 'dispute', resource }),
        1,
      );
    },
  };
}
