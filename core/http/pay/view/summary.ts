/** What is paid, and to whom. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PayView } from './pay-view.ts';

export function summary({ speech, details, amount, logo }: PayView): SafeHtml {
  const { words } = speech;
  const { merchant, referenceId, notes, recipientName, isTest } = details;
  const rows = [
    [words.order, referenceId],
    [words.description, notes],
    [words.recipient, recipientName],
  ].flatMap(([name, value]) =>
    value
      ? [
          html`<dt>${name}</dt>
            <dd><bdi>${value}</bdi></dd>`,
        ]
      : [],
  );
  return html`<header class="summary">
    <p class="merchant">
      ${logo === null ? html`<span class="mark" aria-hidden="true">${initialOf(merchant)}</span>` : html`<img class="logo" src="${logo}" alt="" />`}
      <bdi>${merchant}</bdi>
      ${isTest ? html`<strong class="test">${words.testMode}</strong>` : null}
    </p>
    <h1><span class="hidden">${words.paymentTo(merchant)}</span> <strong class="amount">${amount}</strong></h1>
    ${rows.length > 0 ? html`<dl>${rows}</dl>` : null}
  </header>`;
}

function initialOf(name: string): string {
  const [first = ''] = Array.from(name.trim());
  return first.toUpperCase();
}
