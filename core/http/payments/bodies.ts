/** The fields of each body that pays. */
import type { InputKind } from '@paywright/contract';
import type { HttpConfig } from '../deps.ts';
import type { FieldTable } from '../input/field-table.ts';
import { orderFields } from '../payment-requests/fields.ts';
import { accountFields, cardFields, memberConfirmFields, payerFields, tokenFields, upiFields } from './fields.ts';

/** The bodies by the names of their schemas. */
export const bodies = {
  CardPayment: { ...payerFields, ...accountFields, ...cardFields },
  CardOrder: { ...payerFields, ...accountFields, ...cardFields, ...orderFields },
  BillingOrder: { ...payerFields, ...accountFields, ...orderFields },
  TokenOrder: { ...payerFields, ...accountFields, ...tokenFields, ...orderFields },
  UpiOrder: { ...payerFields, ...accountFields, ...upiFields, ...orderFields },
  UpiPayment: { ...payerFields, ...accountFields, ...upiFields },
  MemberConfirmation: memberConfirmFields,
} as const satisfies Record<string, FieldTable>;
export type BodyName = keyof typeof bodies;

/** The names of the bodies that the service accepts. */
export function acceptedBodies({ refuseCardNumbers }: Pick<HttpConfig, 'refuseCardNumbers'>): readonly BodyName[] {
  const names = Object.keys(bodies) as BodyName[];
  return names.filter((name) => !refuseCardNumbers || !('number' in bodies[name]));
}

/** The body of an h2h endpoint, by the input kind of its provider. */
export const orderBodies: Readonly<Record<InputKind, BodyName>> = {
  card: 'CardOrder',
  billing: 'BillingOrder',
  token: 'TokenOrder',
  upi: 'UpiOrder',
};
