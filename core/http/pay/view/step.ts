/** The payer's next step: to the bank, a code, an app, an address for coins. */
import type { Action } from '@gateway/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { showTime } from '../format.ts';
import type { Speech } from '../words/index.ts';
import { attributes } from './attributes.ts';
import { codeForm } from './pay-form.ts';
import type { PayView } from './pay-view.ts';

export interface Step {
  readonly body: SafeHtml;
  /** Where the page goes on to by itself. */
  readonly goesTo?: string;
  readonly refreshSeconds?: number;
  /** The payer types something: the page stays. */
  readonly isTyping?: true;
}

/** A form may only lead to ourselves, so a page leads on, not an answer to it. */
export function stepOf(view: PayView, action: Action): Step {
  const { speech } = view;
  const { words } = speech;
  switch (action.type) {
    case 'redirect': {
      const { href } = new URL(action.url);
      const { title, text } = words.bankStep;
      const body = html`<h2>${title}</h2>
        <p>${text}</p>
        <p><a class="main" href="${href}">${words.goOn}</a></p>`;
      return { body, goesTo: href, refreshSeconds: 0 };
    }
    case 'confirm': {
      const { title, text } = words.codeStep;
      const body = html`<h2>${title}</h2>
        <p>${text}</p>
        ${codeForm(view)}`;
      return { body, isTyping: true };
    }
    case 'upi': {
      const { title, text, open } = words.upiStep;
      const link = action.link?.startsWith('upi:') ? action.link : undefined;
      const body = html`<h2>${title}</h2>
        <p>${text}</p>
        ${link === undefined ? null : html`<p><a class="main" href="${link}">${open}</a></p>`}
        ${until(speech, action.expiry)}`;
      return { body };
    }
    case 'crypto': {
      const { address, amount, coin, network, memo, expiry } = action;
      const rows = [
        [words.coin.amount, `${amount} ${coin}`],
        [words.coin.network, network],
        [words.coin.address, address],
        [words.coin.memo, memo],
      ].flatMap(([name, value]) =>
        value
          ? [
              html`<dt>${name}</dt>
                <dd dir="ltr"><code>${value}</code></dd>`,
            ]
          : [],
      );
      const body = html`<h2>${words.cryptoStep.title}</h2>
        <dl class="rows">${rows}</dl>
        ${until(speech, expiry)}`;
      return { body, refreshSeconds: 15 };
    }
  }
}

function until({ locale, words }: Speech, expiry: string): SafeHtml {
  return html`<p class="hint">
    ${words.until} <time datetime="${expiry}">${showTime(locale, new Date(expiry))}</time>
  </p>`;
}

/** A form that the payer's browser posts to the bank: by itself where it may, else by the button. */
export function bankForm({ words }: Speech, { url, fields = {} }: Extract<Action, { type: 'redirect' }>): SafeHtml {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input ${attributes({ type: 'hidden', name, value })} />`,
  );
  const { title, text } = words.bankStep;
  return html`<main class="panel state">
    <h1>${title}</h1>
    <p>${text}</p>
    <form id="go" method="post" action="${new URL(url).href}" target="_top">
      ${inputs}<button class="main"><span>${words.goOn}</span></button>
    </form>
  </main>`;
}
