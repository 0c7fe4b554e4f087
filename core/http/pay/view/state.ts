/** How a payment stands, where there is nothing to fill in. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PayPage } from '../../../payments/service.ts';
import type { Words } from '../words/index.ts';
import { icon, type IconName } from './icons.ts';

const signs: Readonly<Record<PayPage['state'], readonly [icon: IconName, tone: 'good' | 'bad' | 'plain']>> = {
  created: ['clock', 'plain'],
  pending: ['clock', 'plain'],
  paid: ['check', 'good'],
  failed: ['cross', 'bad'],
  refunded: ['back', 'plain'],
  expired: ['clock', 'bad'],
  cancelled: ['cross', 'plain'],
};

/** `level` is that of its heading: 1 where the page has no other. */
export function stateOf(words: Words, { state, stepLost }: PayPage, level: 1 | 2): SafeHtml {
  const [sign, tone] = signs[state];
  const { title, text } = words.states[state];
  return html`<p class="sign ${tone}">${icon(sign)}</p>
    ${heading(level, title)}
    <p>${stepLost ? words.stepLost : text}</p>`;
}

export function heading(level: 1 | 2, text: string): SafeHtml {
  return level === 1 ? html`<h1>${text}</h1>` : html`<h2>${text}</h2>`;
}
