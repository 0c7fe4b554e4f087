/** How E answers, in either interface. */
import type { Reply } from '@paywright/contract/sandbox';
import type { Step, Payment } from './payments.ts';

export type FaultCode =
  'BAD_REQUEST' | 'ACCESS' | 'NO_ORDER' | 'CODE_REUSED' | 'IN_WORK' | 'NOT_POSSIBLE' | 'TOO_MANY' | 'INTERNAL';

const faults: Readonly<Record<FaultCode, { readonly status: number; readonly begun: 'no' | 'yes' }>> = {
  BAD_REQUEST: { status: 400, begun: 'no' },
  ACCESS: { status: 401, begun: 'no' },
  NO_ORDER: { status: 404, begun: 'no' },
  CODE_REUSED: { status: 409, begun: 'yes' },
  IN_WORK: { status: 409, begun: 'yes' },
  NOT_POSSIBLE: { status: 422, begun: 'no' },
  TOO_MANY: { status: 429, begun: 'no' },
  INTERNAL: { status: 500, begun: 'no' },
};

export interface ReplyFormat {
  fault(code: FaultCode): Reply;
  /** The state of the payment. `replayed` is set in the answer to a repetition. */
  payment(payment: Payment, replayed?: boolean): Reply;
  /** The complete history. */
  history(payment: Payment): Reply;
  refund(payment: Payment, sent: Step): Reply;
}

/** A fault: HTTP status, `begun`, and E's text. */
export function describeFault(code: FaultCode): { status: number; begun: 'no' | 'yes'; text: string } {
  return { ...faults[code], text: code.toLowerCase() };
}
