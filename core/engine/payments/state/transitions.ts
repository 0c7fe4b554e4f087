/** The allowed changes of `paymentRequestStatusId`. Any other change is refused, kept in the log and counted. */
import { status, type StatusId } from '../../../database/collections/payment-request.ts';

const { created, pending, paid, failed, refunded, expired } = status;

const allowed: Readonly<Record<StatusId, readonly StatusId[]>> = {
  [created]: [pending, expired],
  [pending]: [paid, failed, expired],
  [paid]: [refunded],
  [failed]: [pending, paid, expired],
  [refunded]: [paid],
  [expired]: [paid, failed],
};

export function isAllowed(from: StatusId, to: StatusId): boolean {
  return from === to || allowed[from].includes(to);
}
