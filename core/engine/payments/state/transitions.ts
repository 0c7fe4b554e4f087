/** Which steps of `paymentRequestStatusId` are allowed. Anything else is refused, kept in the log, and counted. */
import type { StatusId } from '../../../database/collections/payment-request.ts';

const allowed: Readonly<Record<StatusId, readonly StatusId[]>> = {
  0: [1, 5],
  1: [2, 3, 5],
  2: [4],
  3: [1, 2, 5],
  4: [2],
  5: [2, 3],
};

export function isAllowed(from: StatusId, to: StatusId): boolean {
  return from === to || allowed[from].includes(to);
}
