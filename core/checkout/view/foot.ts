/** The footer under what the payer does: the merchant's contact and terms, if there are any, and the languages. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PayBrand } from '../../engine/payments/types/pay-page.ts';
import type { Words } from '../../html/words/index.ts';

export function foot(words: Words, brand: PayBrand, languages: SafeHtml, hasHelp = false): SafeHtml {
  const { terms } = brand;
  return html`<footer class="foot">
    ${hasHelp ? null : helpLine(words, brand)}
    ${terms === null ? null : html`<p><a href="${terms}" target="_blank" rel="noreferrer">${words.terms}</a></p>`}
    ${languages}
  </footer>`;
}

/** Names where the payer finds help. Null if the merchant gave no contact. */
export function helpLine(words: Words, brand: PayBrand): SafeHtml | null {
  const contact = contactOf(brand);
  return contact === null ? null : html`<p class="help">${words.support} ${contact}</p>`;
}

/** The merchant's contact, as the receipt shows it. Null if there is none. */
export function contactOf({ support }: PayBrand): SafeHtml | null {
  if (support === null) return null;
  const shown = support.startsWith('https:') ? new URL(support).host : support;
  return html`<a href="${addressOf(support)}" target="_blank" rel="noreferrer"><bdi>${shown}</bdi></a>`;
}

/** A https address has no `@` before its host. */
function addressOf(support: string): string {
  return support.startsWith('https:') ? support : `mailto:${support}`;
}
