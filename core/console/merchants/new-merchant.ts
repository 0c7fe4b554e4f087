/** Creates a merchant, with a first key and a portal link, and shows what to send to the merchant. */
import { randomUUID } from 'node:crypto';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Actor } from '../../engine/audit/index.ts';
import { checkBox, checkBoxes, hidden, textField } from '../../html/components/parts.ts';
import type { OneTimeResult } from '../../http/submit-once.ts';
import { actionForm, isAllowed } from '../kit/action-form.ts';
import type { ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormValues } from '../kit/form-values.ts';
import type { Session } from '../sign-in/session.ts';
import { merchantPath, merchantsPath } from './merchants.ts';
import { contactFields, settingsOf } from './settings-form.ts';

const path = `${merchantsPath}/new`;

export function newMerchantPage({ canUseLiveKeys }: Pick<ConsoleDeps, 'canUseLiveKeys'>, session: Session): SafeHtml {
  if (!isAllowed(session.operator.role, 'admin'))
    return html`<p class="note" role="status">Only an operator with the role admin can create a merchant.</p>`;
  const isNear = session.refused?.errors.some(({ message }) => message.startsWith('is close to')) === true;
  // The form needs no question, but a double click must not create two keys.
  const once = session.refused?.values['once'] ?? randomUUID();
  return html`<div class="panel form">
    ${actionForm(session, 'admin', {
      action: path,
      label: 'Create merchant',
      isMain: true,
      fields: html`${hidden({ once, sure: 'yes' })}
      ${textField({ name: 'name', label: 'Name', isRequired: true, hint: 'Never changes. Payers can see another name.' })}
      ${isNear ? checkBox('allowsNearName', 'Create it anyway: it is another merchant') : null} ${contactFields()}
      ${textField({
        name: 'testNotifyUrl',
        label: 'Test endpoint',
        type: 'url',
        placeholder: 'https://shop.example/webhooks',
        hint: 'Where notifications of test payments are sent. It can be added later.',
      })}
      ${checkBoxes('Also create', [
        { name: 'key', label: 'A test API key', isChecked: true },
        { name: 'link', label: 'A portal link for test payments, valid for an hour', isChecked: true },
      ])}
      ${
        canUseLiveKeys
          ? html`<p class="hint">
              Once the merchant is ready for real payments, create the live key on the merchant’s page, under API keys.
            </p>`
          : null
      }`,
    })}
  </div>`;
}

export const newMerchantAction: ConsoleAction = {
  path,
  section: 'merchants',
  role: 'admin',
  label: 'Create merchant',
  effect: async (_, __, { name = '' }) => ({
    title: `Create the merchant ${name}?`,
    text: 'This creates the merchant and what was chosen in the form.',
    label: 'Create merchant',
    isDangerous: false,
  }),
  run: createMerchant,
  back: () => merchantsPath,
};

async function createMerchant(
  deps: ConsoleDeps,
  by: Actor,
  _: string,
  values: FormValues,
): Promise<OneTimeResult | { readonly leadsTo: string }> {
  const { merchants, publicUrl } = deps;
  const { name = '', allowsNearName, key, link } = values;
  const settings = { ...settingsOf(values), name, allowsNearName: allowsNearName === 'yes' };
  const { owner, warnings } = await merchants.create(by, settings);
  const back = merchantPath(owner.id);
  const lines: (readonly [string, string])[] = [];
  if (key === 'yes') {
    const made = await merchants.createKey(by, { owner: name, environment: 'sandbox' });
    lines.push(['Test API key (shown only once)', made.key], ['Webhook secret of test events', made.webhookSecret]);
  }
  if (link === 'yes') {
    const made = await merchants.portal.create(by, { owner, environment: 'test', allowsRotation: false });
    lines.push(['Portal link, valid for an hour', made.url]);
  }
  if (lines.length === 0 && warnings.length === 0) return { leadsTo: back };
  return {
    title: `${name} is created`,
    intro: 'Send this to the merchant over a safe channel. The key cannot be shown again.',
    lines: [
      ...lines,
      ['Documentation', `${publicUrl}/docs`],
      ['API address', publicUrl],
      ...warnings.map((warning) => ['Warning', warning] as const),
    ],
    seen: 'Continue to the merchant',
    back,
  };
}
