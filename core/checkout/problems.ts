/** Translates what is wrong with a payer's input, and assigns it to its field. */
import type { GatewayError } from '../base/errors.ts';
import { pastMonth } from '../http/payments/card.ts';
import type { Problems } from './view/pay-view.ts';
import type { Speech } from '../html/words/index.ts';
import { phoneExample } from './phone-example.ts';

/** The members of an error's details that name the field. */
interface Details {
  readonly missingFields?: readonly string[];
  readonly errors?: readonly { readonly field: string }[];
  readonly field?: string;
  readonly reason?: string;
}

/** `waits`: the payment waits for a step that the payer could still finish. */
export function problemsOf(
  { kind, details }: GatewayError,
  speech: Speech,
  {
    waits,
    isCard,
    country,
  }: { readonly waits: boolean; readonly isCard: boolean; readonly country?: string | undefined },
): Problems {
  const { errors, missing, otherWay } = speech.words;
  const { missingFields = [], errors: wrong = [], field = '', reason } = details as Details;
  const about = (...fields: (readonly [string, string])[]): Problems => ({ fields: new Map(fields), general: null });
  const missingText = (name: string): string =>
    Object.hasOwn(missing, name)
      ? missing[(name === 'name' && isCard ? 'nameOnCard' : name) as keyof typeof missing]
      : errors.other;
  const wrongText = (name: string): string => errorTextOf(speech, name, country);
  if (kind === 'VALIDATION_ERROR') return about(...missingFields.map((name) => [name, missingText(name)] as const));
  if (kind === 'INVALID_FORMAT') return about(...wrong.map(({ field: name }) => [name, wrongText(name)] as const));
  if (kind === 'INVALID_CARD') return about([field, reason === pastMonth ? errors.expired : wrongText(field)]);
  if (kind === 'INVALID_UPI_ID') return about(['upiId', errors.upiId]);
  return {
    fields: new Map(),
    general: kind === 'RATE_LIMIT_EXCEEDED' ? errors.tooOften : waits ? otherWay.notYet : errors.notThisWay,
  };
}

const named = ['number', 'expiration', 'cvv', 'upiId', 'email', 'code'] as const;

/** The text for a field that has a value which is not valid. */
export function errorTextOf({ words, locale }: Speech, field: string, country?: string): string {
  const { errors, missing } = words;
  if (field === 'phoneNumber') return errors.phoneNumber(phoneExample(country, locale));
  if (field === 'country') return missing.country;
  const name = named.find((one) => one === field);
  return name ? errors[name] : errors.other;
}
