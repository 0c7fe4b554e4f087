/** The page's language, and behind it links to the same page in other languages. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Ctx } from '../../http/state.ts';
import { icon } from './icons.ts';
import { languageCodes, wordsOf, type Speech } from '../../html/words/index.ts';

/** Parameters that the links keep. A 3D Secure token is for one visit only. */
const carried = ['k', 'r', 'way', 'stay', 'other', 'cancelled'];

export function languageSwitch(ctx: Ctx, { language, words }: Speech): SafeHtml {
  const query = new URLSearchParams();
  for (const name of carried) {
    const value = ctx.query[name];
    if (typeof value === 'string') query.set(name, value);
  }
  const links = languageCodes.map((code) => {
    query.set('lang', code);
    const { name } = wordsOf(code);
    return code === language
      ? html`<li><span lang="${code}" aria-current="true">${name}</span></li>`
      : html`<li><a href="?${query.toString()}" lang="${code}" hreflang="${code}">${name}</a></li>`;
  });
  return html`<nav class="languages" aria-label="${words.language}">
    <details>
      <summary>
        ${icon('globe')}<span>${words.language}: <span lang="${language}">${words.name}</span></span>
      </summary>
      <ul>
        ${links}
      </ul>
    </details>
  </nav>`;
}
