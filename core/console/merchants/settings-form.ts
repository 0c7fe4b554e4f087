/** The form fields of a merchant's settings, and their values as settings. */
import { currencyCodes } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Owner, OwnerDefaults } from '../../engine/access/index.ts';
import { notificationTypes } from '../../database/collections/payment-request.ts';
import { checkBoxes, choice, textField } from '../../html/components/parts.ts';
import type { FormValues } from '../kit/form-values.ts';

export function contactFields({
  email,
  reportingCurrency,
}: Partial<Pick<Owner, 'email' | 'reportingCurrency'>> = {}): SafeHtml {
  return html`${textField({
    name: 'email',
    label: 'Email',
    type: 'email',
    value: email ?? '',
    hint: 'Gets notices, for example when an endpoint is disabled.',
  })}
  ${choice('currency', 'Currency', currencyCodes, reportingCurrency ?? undefined, {
    any: 'The currency of the gateway',
    textOf: currencyText,
    hint: 'Of totals and reports. Payments can be in any currency.',
  })}`;
}

const names = new Intl.DisplayNames('en', { type: 'currency' });

function currencyText(code: string): string {
  const name = names.of(code);
  return name === undefined || name === code ? code : `${code} – ${name}`;
}

export function typeFields({ notificationTypes: wanted }: Pick<Owner, 'notificationTypes'>): SafeHtml {
  return checkBoxes(
    'Notifications that the merchant gets',
    notificationTypes.map((type) => ({
      name: `type.${type}`,
      label: type,
      isChecked: wanted === null || wanted.includes(type),
    })),
  );
}

/** An empty field removes its setting. A field that the form does not have changes nothing. */
export function settingsOf(values: FormValues): OwnerDefaults {
  const orNull = (name: string): string | null | undefined => (values[name] === '' ? null : values[name]);
  return {
    email: orNull('email'),
    reportingCurrency: orNull('currency') && values['currency']?.toUpperCase(),
    notifyUrl: orNull('notifyUrl'),
    testNotifyUrl: orNull('testNotifyUrl'),
  };
}

/** All types: the merchant gets the types of later versions, too. */
export function typesOf(values: FormValues): readonly string[] | null {
  const chosen = notificationTypes.filter((type) => values[`type.${type}`] === 'yes');
  return chosen.length === notificationTypes.length ? null : chosen;
}
