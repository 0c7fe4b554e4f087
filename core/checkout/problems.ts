/** Translates what is wrong with a payer's input, and assigns it to its field. */
import type { GatewayError } from '../base/errors.ts';
import { pastMonth } from '../http/payments/card.ts';
import type { Problems } from './view/pay-view.ts';
import type { Words } from '../html/words/index.ts';

/** The members of an error's details that name the field. */
interface Details {
  readonly missingFields?: readonly string[];
  readonly errors?: readonly { readonly field: string }[];
  readonly field?: string;
  readonly reason?: string;
}

/** `waits`: the payment waits for a step that the payer could still finish. */
export function problemsOf({ kind, details }: GatewayError, { errors, otherWay }: Words, waits: boolean): Problems {
  const { missingFields = [], errors: wrong = [], field = '', reason } = details as Details;
  const about = (...fields: (readonly [string, string])[]): Problems => ({ fields: new Map(fields), general: null });
  if (kind === 'VALIDATION_ERROR')
    return about(...missingFields.map((name) => [name, name === 'country' ? errors.country : errors.missing] as const));
  if (kind === 'INVALID_FORMAT')
    return about(...wrong.map(({ field: name }) => [name, errorTextOf(errors, name)] as const));
  if (kind === 'INVALID_CARD')
    return about([field, reason === pastMonth ? errors.expired : errorTextOf(errors, field)]);
  if (kind === 'INVALID_UPI_ID') return about(['upiId', errors.upiId]);
  return {
    fields: new Map(),
    general: kind === 'RATE_LIMIT_EXCEEDED' ? errors.tooOften : waits ? otherWay.notYet : errors.notThisWay,
  };
}

const named = ['number', 'expiration', 'cvv', 'upiId', 'email', 'phoneNumber', 'country', 'code'] as const;

/** The text for a field that has a value which is not valid. */
export function errorTextOf(errors: Words['errors'], field: string): string {
  const name = named.find((one) => one === field);
  return name ? errors[name] : errors.other;
}
