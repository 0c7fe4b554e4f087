/** One field of a form: label, hint, input and problem. Its bounds come from the tables of the merchants' bodies. */
import { existsIn, toCountry } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { toEchoed } from '../../http/input/echo.ts';
import type { FieldTable } from '../../http/input/field-table.ts';
import { cardFields, memberConfirmFields, payerFields, upiFields } from '../../http/payments/fields.ts';
import { isNamedByCountry, labelIn, labelsByCountry } from '../address.ts';
import { countriesIn } from '../countries.ts';
import { phoneExample } from '../phone-example.ts';
import { errorTextOf } from '../problems.ts';
import type { Speech, Words } from '../../html/words/index.ts';
import { attributes } from '../../html/attributes.ts';

interface InputStyle {
  /** A token of HTML's `autocomplete`. */
  readonly autocomplete: string;
  readonly type?: 'tel';
  /** The keyboard of a phone. A browser's own check of `type=email` refuses addresses that the gateway accepts. */
  readonly inputmode?: 'email' | 'numeric';
  /** The field takes half of the width, next to another one. */
  readonly half?: true;
  /** The value is written from left to right in every language. */
  readonly ltr?: true;
  /** More characters than any spelling of the value has. */
  readonly longest?: number;
  readonly hint?: Exclude<keyof Words['hints'], 'phoneNumber'>;
  /** The placeholder of the empty field; `hint` uses the hint itself, which is then only for screen readers. */
  readonly inside?: string;
  /** A payment credential: its value is never written back into a page. */
  readonly pays?: true;
}

const inputStyles = {
  number: {
    autocomplete: 'cc-number',
    inputmode: 'numeric',
    ltr: true,
    longest: 40,
    inside: '1234 1234 1234 1234',
    pays: true,
  },
  expiration: {
    autocomplete: 'cc-exp',
    inputmode: 'numeric',
    half: true,
    ltr: true,
    longest: 25,
    hint: 'expiration',
    inside: 'hint',
    pays: true,
  },
  cvv: {
    autocomplete: 'cc-csc',
    inputmode: 'numeric',
    half: true,
    ltr: true,
    longest: 8,
    hint: 'cvv',
    inside: 'CVC',
    pays: true,
  },
  upiId: { autocomplete: 'off', inputmode: 'email', ltr: true, hint: 'upiId', pays: true },
  code: { autocomplete: 'one-time-code', ltr: true, pays: true },
  name: { autocomplete: 'name' },
  nameOnCard: { autocomplete: 'cc-name' },
  email: { autocomplete: 'email', inputmode: 'email', ltr: true },
  phoneNumber: { autocomplete: 'tel', type: 'tel', ltr: true },
  address: { autocomplete: 'billing address-line1' },
  postalCode: { autocomplete: 'billing postal-code', half: true },
  city: { autocomplete: 'billing address-level2', half: true },
  state: { autocomplete: 'billing address-level1' },
  country: { autocomplete: 'billing country' },
} as const satisfies Record<keyof Words['fields'], InputStyle>;
export type FieldName = Exclude<keyof typeof inputStyles, 'nameOnCard'>;

const bounds: FieldTable = { ...payerFields, ...cardFields, ...upiFields, ...memberConfirmFields };

export function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(inputStyles, name) && name !== 'nameOnCard';
}

export interface FieldState {
  readonly speech: Speech;
  /** The payer's input, by field. */
  readonly typed: Readonly<Record<string, string>>;
  /** Problems, by field. */
  readonly errors: ReadonlyMap<string, string>;
  /** True if the name is the one on the card. */
  readonly isCard?: boolean;
  /** True if the field may stay empty: the known value is used then. */
  readonly isOptional?: boolean;
  /** True if the form asks for the country. It decides which fields an address has, and which of them are required. */
  readonly hasCountry?: boolean;
  /** The payer's country, if it is known. */
  readonly country?: string | undefined;
  /** The cards that are accepted, shown with the card number. */
  readonly cards?: SafeHtml | null;
}

export function field(name: FieldName, state: FieldState): SafeHtml {
  const { speech, typed, errors, isCard = false, isOptional = false, hasCountry = false, country, cards } = state;
  const { words } = speech;
  const own = name === 'name' && isCard ? 'nameOnCard' : name;
  const style: InputStyle = inputStyles[own];
  const error = errors.get(name);
  // The line does not break inside the number.
  const example = phoneExample(country, speech.locale).replaceAll(' ', '\u00A0');
  const hint = name === 'phoneNumber' ? words.hints.phoneNumber(example) : style.hint && words.hints[style.hint];
  const named = isNamedByCountry(name) ? name : undefined;
  const isByCountry = !isOptional && hasCountry && named !== undefined;
  const isFirstError = error !== undefined && errors.keys().next().value === name;
  // Most countries have no state, so it is asked only once a country has one.
  const exists = country === undefined ? named !== 'state' : named === undefined || existsIn(toCountry(country), named);
  const isMissing = isByCountry && error === undefined && !exists;
  const shared = attributes({
    id: name,
    name,
    autocomplete: style.autocomplete,
    required: !isOptional && !isByCountry,
    'aria-invalid': error !== undefined && 'true',
    'aria-describedby': [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ') || undefined,
    autofocus: isFirstError,
    placeholder: style.inside === 'hint' ? hint : style.inside,
    // The texts for the script, and the field whose rule depends on the country.
    'data-missing': words.missing[own],
    'data-wrong': errorTextOf(speech, name, country),
    'data-expired': name === 'expiration' && words.errors.expired,
    'data-by-country': isByCountry && named,
    'data-labels': isByCountry && JSON.stringify(labelsByCountry(words, named)),
  });
  const value = typed[name];
  const label = named ? labelIn(words, named, country) : words.fields[own];
  return html`<div ${attributes({ class: `field${style.half ? ' half' : ''}`, hidden: isMissing })}>
    <label for="${name}">${label}</label>
    ${name === 'country' ? countrySelect(speech, value, shared) : input(name, style, value, shared)}
    ${name === 'number' ? html`<span class="brand" data-brand aria-live="polite"></span>${cards}` : null}
    ${hint ? html`<p class="${style.inside ? 'hidden' : 'hint'}" id="${name}-hint">${hint}</p>` : null}
    ${error ? html`<p class="error" id="${name}-error">${error}</p>` : null}
  </div>`;
}

function input(name: FieldName, style: InputStyle, value: string | undefined, shared: SafeHtml): SafeHtml {
  const { type = 'text', inputmode, ltr, longest, pays } = style;
  const bound = bounds[name];
  const { min, max } = bound && 'max' in bound ? bound : {};
  const own = attributes({
    type,
    inputmode,
    dir: ltr ? 'ltr' : undefined,
    // Browsers cut a pasted value at `maxlength`, before its blanks are taken off: it is longer than `data-max`.
    maxlength: longest,
    'data-min': min,
    'data-max': max,
    // Card numbers and secrets in the wrong field are not written back either.
    value: pays || value === undefined || toEchoed(value) !== value ? undefined : value,
  });
  return html`<input ${shared} ${own} />`;
}

function countrySelect({ language, words }: Speech, value: string | undefined, shared: SafeHtml): SafeHtml {
  const options = countriesIn(language).map(
    ({ code, name }) => html`<option ${attributes({ value: code, selected: code === value })}>${name}</option>`,
  );
  return html`<select ${shared}>
    <option value="">${words.chooseCountry}</option>
    ${options}
  </select>`;
}
