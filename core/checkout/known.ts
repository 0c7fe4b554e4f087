/** Selects what is known of a payer before they fill in the form, as far as it may be sent on. */
import type { PayerField, PayerFields } from '@paywright/contract';
import { createForm } from '../http/input/form.ts';
import { payerFields } from '../http/payments/fields.ts';
import { readTyped } from './read-typed.ts';

const forms = {
  name: createForm({ value: payerFields.name }),
  email: createForm({ value: payerFields.email }),
  phoneNumber: createForm({ value: payerFields.phoneNumber }),
  address: createForm({ value: payerFields.address }),
  city: createForm({ value: payerFields.city }),
  state: createForm({ value: payerFields.state }),
  postalCode: createForm({ value: payerFields.postalCode }),
  country: createForm({ value: payerFields.country }),
} as const satisfies Record<PayerField, unknown>;

/** The known fields that are within the bounds. A merchant's client may have a longer address, for example. */
export function usableFields(known: Partial<PayerFields>, fields: readonly PayerField[]): Partial<PayerFields> {
  return Object.fromEntries(
    fields.flatMap((name) => {
      const value = readTyped(name, known[name] ?? '', 'en');
      return value !== undefined && forms[name].read({ value }).value ? [[name, value] as const] : [];
    }),
  );
}

export function isKnown(known: Partial<PayerFields>, name: PayerField): boolean {
  return known[name] !== undefined;
}
