/** What payers see of a merchant: the form of its brand, and a picture of the payer's page with it. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Brand, Owner } from '../../engine/access/index.ts';
import { attributes } from '../../html/attributes.ts';
import { checkBox, textField } from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';
import { merchantsPath } from './merchants.ts';

/** The text fields of the branding, in the order of the form. */
export const brandTexts = [
  { name: 'displayName', label: 'Name shown to payers', hint: 'Empty: the name of the merchant.' },
  { name: 'colour', label: 'Colour', hint: 'Such as #2446c8. White text must be readable on it.' },
  { name: 'support', label: 'Help', hint: 'An email or https address, shown below the payment.' },
  { name: 'terms', label: 'Terms', hint: 'An https address.' },
] as const satisfies readonly { readonly name: keyof Brand; readonly label: string; readonly hint: string }[];

export function brandSection({ id, name, brand }: Owner, session: Session): SafeHtml {
  const form = actionForm(session, 'admin', {
    action: `${merchantsPath}/${id}/brand`,
    label: 'Save branding',
    isMain: true,
    fields: brandFields(brand),
    hasFile: true,
  });
  return html`<div class="beside-form">
    ${form && html`<div class="panel form">${form}</div>`} ${preview(id, name, brand)}
  </div>`;
}

function brandFields(brand: Brand): SafeHtml {
  const texts = brandTexts.map(({ name, label, hint }) => textField({ name, label, hint, value: brand[name] ?? '' }));
  return html`${texts}
    <label class="field"
      >Logo <small class="hint">PNG, JPEG or WebP, at most 64 kB.</small
      ><input type="file" name="logo" accept="image/png,image/jpeg,image/webp"
    /></label>
    ${brand.logo ? checkBox('noLogo', 'Remove the logo') : null}`;
}

/**
 * A picture of the payer's page. The colour is an attribute of the shapes, because the page allows no style of its own.
 * The script changes name and colour while they are typed.
 */
function preview(id: number, name: string, { displayName, colour, logo }: Brand): SafeHtml {
  const shown = displayName ?? name;
  const fill = attributes({ fill: colour ?? undefined });
  const mark = logo
    ? html`<image href="${merchantsPath}/${id}/logo" x="24" y="22" width="36" height="36" />`
    : html`<rect x="24" y="22" width="36" height="36" rx="8" class="accent" ${fill} />
        <text x="42" y="47" class="initial" text-anchor="middle" data-preview-initial
          >${shown.slice(0, 1).toUpperCase()}</text
        >`;
  return html`<figure class="preview" data-preview="${name}">
    <svg viewBox="0 0 320 300" role="img" aria-label="The payer’s page of ${shown}">
      <rect class="paper" x="0.5" y="0.5" width="319" height="299" rx="12" />
      ${mark}
      <text x="72" y="46" class="name" data-preview-name>${shown}</text>
      <text x="24" y="98" class="amount">€25.90</text>
      <rect class="input" x="24" y="118" width="272" height="36" rx="6" />
      <text x="36" y="141" class="quiet">Card number</text>
      <rect class="input" x="24" y="164" width="130" height="36" rx="6" />
      <text x="36" y="187" class="quiet">MM/YY</text>
      <rect class="input" x="166" y="164" width="130" height="36" rx="6" />
      <text x="178" y="187" class="quiet">CVC</text>
      <rect x="24" y="216" width="272" height="42" rx="8" class="accent" ${fill} />
      <text x="160" y="242" class="button" text-anchor="middle">Pay €25.90</text>
      <text x="160" y="282" class="quiet" text-anchor="middle">Help · Terms</text>
    </svg>
    <figcaption>How payers see it. Open a test payment to see the whole page.</figcaption>
  </figure>`;
}
