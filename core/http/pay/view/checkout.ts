/** The page of the link: what is to be paid, how, and the next step. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PayFailure } from '../../../payments/service.ts';
import type { Words } from '../words/index.ts';
import { icon } from './icons.ts';
import { waysToPay } from './pay-form.ts';
import type { PayView } from './pay-view.ts';
import { stateOf } from './state.ts';
import { stepOf } from './step.ts';
import { summary } from './summary.ts';

export interface Checkout {
  readonly body: SafeHtml;
  readonly goesTo?: string;
  readonly refreshSeconds?: number;
}

/** How often a page asks again by itself. */
export const refreshSeconds = 3;

export function checkout(view: PayView): Checkout {
  const { page, way, details, problems, speech } = view;
  const { words } = speech;
  const { state, action } = page;
  const step = action ? stepOf(view, action) : undefined;
  const leaveTo = page.leaveTo === null ? undefined : new URL(page.leaveTo).href;
  const goesTo = step?.goesTo ?? (way ? undefined : leaveTo);
  const parts = [
    details.failure && way ? failed(words, details.failure) : null,
    problems.general ? html`<p class="alert" role="alert">${icon('alert')}<span>${problems.general}</span></p>` : null,
    step ? html`<section class="step">${step.body}</section>` : null,
    way ? waysToPay(view) : null,
    !way && !step ? html`<section class="state">${whereItStands(view)}</section>` : null,
    leaveTo === undefined
      ? null
      : html`<p class="leave"><a href="${leaveTo}" target="_top">${words.backTo(details.merchant)}</a></p>`,
  ];
  const body = html`${summary(view)}
    <main class="panel">${parts}</main>`;
  const isWaiting = state === 'pending' && !step?.isTyping;
  if (goesTo !== undefined) return { body, goesTo, refreshSeconds: step?.refreshSeconds ?? refreshSeconds };
  return isWaiting ? { body, refreshSeconds: step?.refreshSeconds ?? refreshSeconds } : { body };
}

function whereItStands({ page, details, speech }: PayView): SafeHtml {
  const { words } = speech;
  if (page.state === 'created')
    return html`<h2>${words.states.created.title}</h2>
      <p>${words.noWay}</p>`;
  return html`${stateOf(words, page, 2)}${details.failure ? html`<p>${whyFailed(words, details.failure)}</p>` : null}`;
}

function failed(words: Words, failure: PayFailure): SafeHtml {
  return html`<div class="alert" role="alert">
    ${icon('alert')}
    <div>
      <h2>${words.failedTitle}</h2>
      <p>${whyFailed(words, failure)}</p>
      <p>${words.tryAgain}</p>
    </div>
  </div>`;
}

function whyFailed(words: Words, failure: PayFailure): string {
  switch (failure.kind) {
    case 'declined':
      return words.declines[failure.code];
    case 'three_ds':
      return words.threeDsFailed;
    case 'nothing_charged':
      return words.nothingCharged;
  }
}
