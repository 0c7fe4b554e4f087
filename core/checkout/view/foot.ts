/** The footer of a page: the merchant's help and terms, if there are any, and the languages. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PayBrand } from '../../engine/payments/types/pay-page.ts';
import type { Words } from '../../html/words/index.ts';

export function foot(words: Words, { support, terms }: PayBrand, languages: SafeHtml): SafeHtml {
  const links = [
    [words.support, support === null ? null : addressOf(support)],
    [words.terms, terms],
  ].flatMap(([name, address]) =>
    address ? [html`<li><a href="${address}" target="_blank" rel="noreferrer">${name}</a></li>`] : [],
  );
  if (links.length === 0) return languages;
  return html`<footer class="languages">
    <ul>
      ${links}
    </ul>
    ${languages}
  </footer>`;
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
