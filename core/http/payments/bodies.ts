/** The fields of each body that pays. */
import type { InputKind } from '@paywright/contract';
import type { FieldTable } from '../input/field-table.ts';
import { orderFields } from '../payment-requests/fields.ts';
import { cardFields, memberConfirmFields, payerFields, tokenFields, upiFields } from './fields.ts';

/** The bodies by the names of their schemas. */
export const bodies = {
  CardPayment: { ...payerFields, ...cardFields },
  CardOrder: { ...payerFields, ...cardFields, ...orderFields },
  BillingOrder: { ...payerFields, ...orderFields },
  TokenOrder: { ...payerFields, ...tokenFields, ...orderFields },
  UpiOrder: { ...payerFields, ...upiFields, ...orderFields },
  UpiPayment: { ...payerFields, ...upiFields },
  MemberConfirmation: memberConfirmFields,
} as const satisfies Record<string, FieldTable>;
export type BodyName = keyof typeof bodies;

/** The body of an h2h endpoint, by the input kind of its provider. */
export const orderBodies: Readonly<Record<InputKind, BodyName>> = {
  card: 'CardOrder',
  billing: 'BillingOrder',
  token: 'TokenOrder',
  upi: 'UpiOrder',
};
