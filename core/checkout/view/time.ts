/** Times: in UTC as the server knows them. The script rewrites them for the payer's clock. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { attributes } from '../../html/attributes.ts';
import { deadlineForm, showDeadline, showTime } from '../format.ts';
import type { Speech } from '../../html/words/index.ts';

/** `at` is a time of ISO 8601. */
export function time({ locale }: Speech, at: string): SafeHtml {
  return html`<time datetime="${at}">${showTime(locale, new Date(at))}</time>`;
}

/** A sentence in which `{time}` is replaced by a time. */
export function sentenceWith(speech: Speech, sentence: string, at: Date): SafeHtml {
  const [before = '', after = ''] = sentence.split('{time}');
  return html`${before}${time(speech, at.toISOString())}${after}`;
}

/** A deadline. The script writes it by the payer's clock and says so. */
export function deadline({ locale, words }: Speech, at: Date, now: Date): SafeHtml {
  const own = attributes({
    datetime: at.toISOString(),
    'data-own': words.yourTime,
    'data-form': JSON.stringify(deadlineForm(at, now)),
  });
  return html`<time ${own}>${showDeadline(locale, at, now)}</time>`;
}

/** The end of the time to pay, and with script the time that is left. Null if `expiry` is no time. */
export function until(speech: Speech, expiry: string, now: Date): SafeHtml | null {
  const { words } = speech;
  // Adapters pass on a provider's time. The page must not fail if it is no time.
  if (Number.isNaN(Date.parse(expiry))) return null;
  const seconds = Math.floor((new Date(expiry).getTime() - now.getTime()) / 1000);
  const left =
    seconds > 0
      ? html`<span class="left" data-left="${seconds}" hidden
          >${words.timeLeft} <bdi role="timer" data-clock></bdi
        ></span>`
      : null;
  return html`<p class="until">
    ${left} <span class="hint">${words.until} ${deadline(speech, new Date(expiry), now)}</span>
  </p>`;
}
