/** Bodies and queries of the calls about notifications. */
import { invalidField } from '../../base/errors.ts';
import type { FieldTable } from '../input/field-table.ts';
import { accept, createForm } from '../input/form.ts';
import {
  anyId,
  anyText,
  defaultPageSize,
  instant,
  oneOf,
  pageQuery,
  readExactQuery,
  readQuery,
} from '../input/query.ts';
import type { Query } from '../input/query.ts';
import type { Body } from '../input/read-body.ts';

/** The time span of the notifications to send again. */
export const spanFields = {
  from: { type: 'time', note: 'Start of the span (creation time). Default: no limit.' },
  to: { type: 'time', note: 'End of the span (creation time), exclusive. Default: now.' },
} as const satisfies FieldTable;

const resendSpan = createForm(spanFields);
export const resendQuery = { from: instant, to: instant } as const;

export const notificationQuery = {
  paymentRequestId: anyId,
  state: oneOf(['waiting', 'delivered', 'exhausted', 'gone']),
  type: anyText,
  ...pageQuery,
} as const;

export function readNotificationQuery(query: Query) {
  const [{ limit = defaultPageSize, ...filters }] = accept(readExactQuery(notificationQuery, query));
  return { ...filters, limit };
}

/** The span from body or query; the body takes precedence. The default end is now. */
export function readResendSpan(body: Body, query: Query, now: Date): { readonly from: Date; readonly to: Date } {
  const [given] = accept(resendSpan.read(body));
  const [inQuery, inBody] = accept(readExactQuery(resendQuery, query), readQuery(resendQuery, given));
  const { from = new Date(0), to = now } = { ...inQuery, ...inBody };
  if (from > to) throw invalidField('from', from, 'must not be later than to');
  return { from, to };
}
