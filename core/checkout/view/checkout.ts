/** The page of the link: what to pay, how, and the next step. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { DAY, SECOND } from '../../base/async/time.ts';
import type { PayFailure, PayPage } from '../../engine/payments/types/pay-page.ts';
import type { Speech, Words } from '../../html/words/index.ts';
import { errorTextOf } from '../problems.ts';
import { coinsSoFar } from './coins.ts';
import { helpLine } from './foot.ts';
import { icon } from './icons.ts';
import { backToShop, leaveSeconds } from './leave.ts';
import { waysToPay } from './pay-form.ts';
import type { PayView } from './pay-view.ts';
import { receiptOf } from './receipt.ts';
import { heading, isCoinTooLate, sign, stateOf, stateTitle } from './state.ts';
import { stepOf } from './step.ts';
import { summary } from './summary.ts';
import { sentenceWith } from './time.ts';

export interface Checkout {
  readonly title: string;
  readonly body: SafeHtml;
  /** True if the body itself names the merchant's contact. */
  readonly hasHelp: boolean;
  readonly goesTo?: string;
  readonly refreshSeconds?: number;
  readonly formTarget?: string;
  readonly referrer?: 'origin' | undefined;
  /** After this many seconds nothing can be paid here any more. */
  readonly expiresInSeconds?: number;
}

/** Interval in which a page without script reloads automatically. */
export const refreshSeconds = 5;

export function checkout(view: PayView): Checkout {
  const { page, details, problems, speech, stays, isCancelled } = view;
  const { words } = speech;
  const { state, action } = page;
  const step = action && view.openStep !== 'other' ? stepOf(view, action) : undefined;
  const way = step ? undefined : view.way;
  const leaveTo = page.leaveTo === null ? undefined : new URL(page.leaveTo).href;
  // A payer who can try again is not redirected to the shop.
  const isLeaving = leaveTo !== undefined && !way && !stays;
  const parts = [
    details.failure && way ? failureAlert(view, details.failure) : null,
    isCancelled ? cancelledNote(words, way !== undefined) : null,
    problems.general ? html`<p class="alert" role="alert">${icon('alert')}<span>${problems.general}</span></p>` : null,
    step ? html`<section class="step">${heading(2, step.title)} ${step.body} ${otherWay(view)}</section>` : null,
    action && way && !isCancelled ? backToStep(view) : null,
    way ? waysToPay(view) : null,
    !way && !step ? html`<section class="state">${statusSection(view)}</section>` : null,
    leaveTo === undefined ? null : backToShop(view, leaveTo, isLeaving),
  ];
  const body = html`${summary(view)}
    <main class="panel">${parts}</main>`;
  const isByPayer = isCancelled || details.failure?.kind === 'cancelled';
  const hasHelp = !way && !step && (isHelpNeeded(page) || details.receipt !== null);
  const shown = { body, hasHelp, title: isByPayer ? words.byPayer.title : (step?.title ?? stateTitle(speech, page)) };
  if (step?.goesTo !== undefined) return { ...shown, goesTo: step.goesTo, refreshSeconds: 0, referrer: step.referrer };
  if (step?.formTarget !== undefined) return { ...shown, formTarget: step.formTarget, referrer: step.referrer };
  if (isLeaving) return { ...shown, goesTo: leaveTo, refreshSeconds: leaveSeconds };
  if (state === 'pending' && !way && !step?.isTyping) return { ...shown, refreshSeconds };
  const leftMs = (details.expiresAt?.getTime() ?? Infinity) - view.now.getTime();
  // A page is hardly open for longer, and browsers have no timers for weeks.
  if (!way || leftMs > DAY) return shown;
  return { ...shown, expiresInSeconds: Math.max(1, Math.ceil(leftMs / SECOND)) };
}

function statusSection(view: PayView): SafeHtml {
  const { page, details, speech } = view;
  const { words } = speech;
  const { failure, coins, receipt } = details;
  const help = helpLine(words, page.merchant.brand);
  if (page.state === 'created')
    return html`${sign('alert')} ${heading(2, words.noWayTitle)}
      <p>${words.noWay(page.merchant.name, details.currency ?? details.unit)}</p>
      <p>${words.states.failed.text}</p>
      ${help}`;
  return html`${stateOf(speech, page, 2)} ${failure ? html`<p>${failureReason(view, failure)}</p>` : null}
  ${coins && (isCoinTooLate(page) || coins.excess !== null) ? coinsSoFar(speech, details, false) : null}
  ${isHelpNeeded(page) ? help : null} ${receipt ? receiptOf(view, receipt) : null}`;
}

/** The payer can do nothing else than ask the merchant. */
function isHelpNeeded(page: PayPage): boolean {
  return page.state === 'created' || page.state === 'expired' || isCoinTooLate(page);
}

/** For a payer who returned without paying. `canPay`: the ways to pay follow. */
function cancelledNote({ byPayer }: Words, canPay: boolean): SafeHtml {
  return html`<div class="alert plain" role="alert">
    ${icon('back')}
    <div>
      <h2 tabindex="-1">${byPayer.title}</h2>
      ${canPay ? html`<p>${byPayer.text}</p>` : null}
    </div>
  </div>`;
}

/** Under an open step: the link to the other ways to pay, or from when on there is one. */
function otherWay({ speech, details, link, openStep }: PayView): SafeHtml | null {
  const { words } = speech;
  if (details.otherWay === null || openStep === 'lead') return null;
  if (details.otherWay === 'now') {
    return html`<p><a class="back" href="${link}&other=1">${words.otherWay.link}</a></p>`;
  }
  return html`<p class="hint">${sentenceWith(speech, words.otherWay.from, details.otherWay)}</p>`;
}

/** Above the other ways to pay: the way back to the step that is still open. */
function backToStep({ speech, link }: PayView): SafeHtml {
  const { otherWay: words } = speech.words;
  return html`<p class="aside">${words.ends} <a href="${link}">${words.proceed}</a></p>`;
}

function failureAlert(view: PayView, failure: PayFailure): SafeHtml {
  const { words } = view.speech;
  if (failure.kind === 'cancelled') return cancelledNote(words, true);
  return html`<div class="alert" role="alert">
    ${icon('alert')}
    <div>
      <h2 tabindex="-1">${words.failedTitle}</h2>
      <p>${failureReason(view, failure)}</p>
      <p>${failure.kind === 'nothing_charged' ? words.states.failed.text : words.tryAgain}</p>
    </div>
  </div>`;
}

function failureReason({ speech, ways }: PayView, failure: PayFailure): string {
  const { words } = speech;
  switch (failure.kind) {
    case 'declined':
      return words.declines[failure.code] ?? words.declines['05'];
    case 'three_ds':
      return words.threeDsFailed;
    case 'cancelled':
      return words.byPayer.title;
    case 'field_refused':
      return refusedText(speech, failure.field);
    case 'nothing_charged':
      return nothingChargedText(words.nothingCharged, ways.length, failure.sandboxRule);
  }
}

/** Says only what can help: a payer without a way to pay, or with an amount that always fails, cannot try again. */
function nothingChargedText(
  { reason, again, againOr, onPurpose }: Words['nothingCharged'],
  ways: number,
  rule: string | undefined,
): string {
  if (rule !== undefined) return `${reason} ${onPurpose(rule)}`;
  if (ways === 0) return reason;
  return `${reason} ${ways === 1 ? again : againOr}`;
}

/** Names the field to change. If the payer typed no such field, another way to pay is all that can help. */
function refusedText(speech: Speech, field: string): string {
  const { fields, errors } = speech.words;
  const label = new Map(Object.entries(fields)).get(field);
  return label === undefined ? errors.notThisWay : `${label}: ${errorTextOf(speech, field)}`;
}
