/** Times: in UTC as the server knows them. The script rewrites them for the payer's clock. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { showTime } from '../format.ts';
import type { Speech } from '../../html/words/index.ts';

/** `at` is a time of ISO 8601. */
export function time({ locale }: Speech, at: string): SafeHtml {
  return html`<time datetime="${at}">${showTime(locale, new Date(at))}</time>`;
}

/** The end of the time to pay, and with script the time that is left. */
export function until(speech: Speech, expiry: string, now: Date): SafeHtml {
  const { words } = speech;
  const seconds = Math.floor((new Date(expiry).getTime() - now.getTime()) / 1000);
  const left =
    seconds > 0
      ? html`<span class="left" data-left="${seconds}" hidden
          >${words.timeLeft} <bdi role="timer" data-clock></bdi
        ></span>`
      : null;
  return html`<p class="until">${left} <span class="hint">${words.until} ${time(speech, expiry)}</span></p>`;
}
