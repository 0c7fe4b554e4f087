/** The form in which a payer pays: fields and their bounds come from the tables of the merchants' bodies. */
import type { PayerWay, PayPageDetails } from '../../payments/service.ts';
import { toEchoed } from '../input/echo.ts';
import { cardFields, memberConfirmFields, payerFields, upiFields } from '../payments/fields.ts';
import type { FieldTable, TextBounds } from '../input/field-table.ts';
import { escapeHtml } from './page.ts';

/** What the payer typed, by field. */
export type Typed = Readonly<Record<string, string>>;

interface Input {
  readonly label: string;
  /** A token of HTML's `autocomplete`. */
  readonly autocomplete: string;
  readonly type?: 'email' | 'tel';
  readonly digits?: true;
  readonly hint?: string;
}

const about = {
  name: { label: 'Name', autocomplete: 'name' },
  email: { label: 'E-mail', autocomplete: 'email', type: 'email' },
  phoneNumber: { label: 'Phone', autocomplete: 'tel', type: 'tel', hint: 'with country code' },
  address: { label: 'Street and number', autocomplete: 'street-address' },
  postalCode: { label: 'Postal code', autocomplete: 'postal-code' },
  city: { label: 'City', autocomplete: 'address-level2' },
  state: { label: 'State or region', autocomplete: 'address-level1' },
  country: { label: 'Country', autocomplete: 'country', hint: 'two letters, such as DE' },
} as const satisfies Partial<Record<keyof typeof payerFields, Input>>;

const instruments = {
  number: { label: 'Card number', autocomplete: 'cc-number', digits: true },
  expiration: { label: 'Good until', autocomplete: 'cc-exp', hint: 'MM/YY' },
  cvv: { label: 'Security code', autocomplete: 'cc-csc', digits: true, hint: '3 or 4 digits' },
  upiId: { label: 'UPI id', autocomplete: 'off', hint: 'username@bankcode' },
  code: { label: 'Code', autocomplete: 'one-time-code' },
} as const satisfies Record<string, Input>;

const bounds: FieldTable = { ...payerFields, ...cardFields, ...upiFields, ...memberConfirmFields };
const inputs: Readonly<Record<string, Input>> = { ...about, ...instruments };
const aboutPayer = Object.keys(about);

const ways: Readonly<Record<PayerWay, { readonly title: string; readonly fields: readonly string[] }>> = {
  card: { title: 'Card', fields: ['number', 'expiration', 'cvv'] },
  upi: { title: 'UPI', fields: ['upiId'] },
  billing: { title: 'On our provider’s page', fields: [] },
};

/** Fields of the form of a way, those of the step of a member code included. */
export function fieldsOf(way: PayerWay | 'confirm'): readonly string[] {
  return way === 'confirm' ? ['code'] : [...ways[way].fields, ...aboutPayer];
}

/** Field names of a message, as the payer knows them. */
export function labelOf(field: string): string {
  return inputs[field]?.label ?? field;
}

interface PayForm {
  /** Path and query of the page itself. */
  readonly action: string;
  readonly details: PayPageDetails;
  readonly way: PayerWay;
  readonly typed: Typed;
}

export function payForm({ action, details, way, typed }: PayForm): string {
  const { attempts, amount, unit } = details;
  const others = details.ways.map((one) =>
    one === way
      ? `<strong>${ways[one].title}</strong>`
      : `<a href="${escapeHtml(`${action}&way=${one}`)}">${ways[one].title}</a>`,
  );
  return (
    `<form method="post" action="${escapeHtml(action)}">` +
    (others.length > 1 ? `<p>Pay with: ${others.join(' · ')}</p>` : '') +
    `<input type="hidden" name="way" value="${way}"><input type="hidden" name="attempts" value="${attempts}">` +
    fieldsOf(way)
      .map((field) => inputOf(field, typed[field]))
      .join('') +
    `<p><button>Pay ${escapeHtml(`${amount} ${unit}`)}</button></p></form>`
  );
}

/** Where the payer types the code that they received. */
export function codeForm(action: string): string {
  return (
    `<form method="post" action="${escapeHtml(action)}"><input type="hidden" name="way" value="confirm">` +
    `<p>You received a code to confirm this payment.</p>${inputOf('code', undefined)}<p><button>Confirm</button></p></form>`
  );
}

/** What pays is not written back into the page, in any field: the payer types it again. */
function inputOf(name: string, value: string | undefined): string {
  const { label, autocomplete, type = 'text', digits, hint } = inputs[name]!;
  const { min, max } = bounds[name] as TextBounds;
  const attributes = [
    `name="${name}"`,
    `type="${type}"`,
    `autocomplete="${autocomplete}"`,
    'required',
    min === undefined || digits ? '' : `minlength="${min}"`,
    // People part the digits of a card number.
    max === undefined || digits ? '' : `maxlength="${max}"`,
    digits ? 'inputmode="numeric"' : '',
    hint ? `placeholder="${escapeHtml(hint)}"` : '',
    value !== undefined && aboutPayer.includes(name) && toEchoed(value) === value ? `value="${escapeHtml(value)}"` : '',
  ];
  return `<label>${escapeHtml(label)}<input ${attributes.filter(Boolean).join(' ')}></label>`;
}
