/** Builds the pages for visits of `/pay/{id}`. */
import type { Action } from '@paywright/contract';
import { html } from '@remix-run/html-template';
import { showAmount } from '../base/text/show-amount.ts';
import { MINUTE } from '../base/async/time.ts';
import { errorKinds, type GatewayError } from '../base/errors.ts';
import type { Merchant, PayerWay, PayPage, PayPageDetails } from '../engine/payments/types/pay-page.ts';
import { addressFrom } from '../html/assets.ts';
import { logoPath } from './logo.ts';
import { payScript } from './assets.ts';
import { seeOther, sendPage, sendStatusPage, type Page, type PageBrand, type Watch } from '../html/page.ts';
import type { Ctx } from '../http/state.ts';
import { problemsOf } from './problems.ts';
import type { Typed } from './typed-cookie.ts';
import { checkout, refreshSeconds } from './view/checkout.ts';
import { foot } from './view/foot.ts';
import { languageSwitch } from './view/languages.ts';
import { payeeHead } from './view/payee.ts';
import { noProblems, type PayView, type Problems } from './view/pay-view.ts';
import { likelyCountry } from './countries.ts';
import { sign, stateOf } from './view/state.ts';
import { testBadge } from './view/summary.ts';
import { bankForm, bankLink } from './view/step.ts';
import { speechOf } from '../html/words/index.ts';

/** A visit without any token. */
export function showChecking(ctx: Ctx): void {
  showUnknown(ctx, 'checking');
}

/** A link that is mistyped or cut off. The page is the same whether the payment exists or not. */
export function showBadLink(ctx: Ctx, status = 200): void {
  showUnknown(ctx, 'badLink', status);
}

function showUnknown(ctx: Ctx, why: 'checking' | 'badLink', status = 200): void {
  const speech = speechOf(ctx);
  const { title, text } = speech.words[why];
  const body = html`<main class="panel state">
      ${sign(why === 'badLink' ? 'alert' : 'clock')}
      <h1>${title}</h1>
      <p>${text}</p>
    </main>
    <footer class="foot">${languageSwitch(ctx, speech)}</footer>`;
  sendPage(ctx, status, { title, body, speech });
}

export function leave(ctx: Ctx, page: PayPage, url: string): void {
  leadOn(ctx, page, new URL(url).href);
}

/**
 * A redirect would stay inside a frame that the shop or a challenge opened. In a frame, the payer continues in the top
 * window.
 */
export function leadOn(ctx: Ctx, page: PayPage, href: string): void {
  if (!isFramed(ctx)) return seeOther(ctx, href);
  const { checking, proceed } = speechOf(ctx).words;
  const body = html`<main class="panel state">
    <h1>${checking.title}</h1>
    <p><a class="main" href="${href}" target="_top">${proceed}</a></p>
  </main>`;
  sendNote(ctx, page, { title: checking.title, body, movesOn: true });
}

function isFramed(ctx: Ctx): boolean {
  return /^i?frame$/.test(ctx.get('Sec-Fetch-Dest'));
}

/** Continues a 3D Secure step. Other actions are shown by the merchant, or on the page with the link. */
export function showAction(ctx: Ctx, page: PayPage, action: Action): void {
  if (action.type !== 'redirect') {
    showState(ctx, { ...page, state: 'pending' });
  } else if (action.method === 'GET' && !action.referrer) {
    leave(ctx, page, action.url);
  } else {
    const speech = speechOf(ctx);
    const { title } = speech.words.bankStep;
    const { referrer } = action;
    if (action.method === 'POST') {
      const body = bankForm(speech, action);
      return sendNote(ctx, page, { title, body, speech, formTarget: action.url, referrer, movesOn: true });
    }
    // A redirect would name the page from which the payer came. In a frame, the payer continues in the top window.
    const leads = isFramed(ctx) ? {} : { goesTo: action.url, refreshSeconds: 0 };
    sendNote(ctx, page, { title, body: bankLink(speech, action), speech, ...leads, referrer, movesOn: true });
  }
}

export function showState(ctx: Ctx, page: PayPage, { isCancelled = false } = {}): void {
  const speech = speechOf(ctx);
  const isOpen = page.state === 'pending' || page.state === 'created';
  const { words } = speech;
  sendNote(ctx, page, {
    title: words.states[page.state].title,
    body: html`<main class="panel state">
        <p class="due">${showAmount(speech.locale, page.due.amount, page.due.currency ?? page.due.unit)}</p>
        ${stateOf(speech, page, 1)} ${page.state === 'failed' ? html`<p>${words.openLinkAgain}</p>` : null}
      </main>
      ${foot(words, page.merchant.brand, languageSwitch(ctx, speech))}`,
    speech,
    ...(isOpen && { refreshSeconds, watch: watchOf(ctx, page, isCancelled) }),
    movesOn: true,
  });
}

/** A short message under the merchant's name. */
function sendNote(ctx: Ctx, { merchant, due }: PayPage, note: Page): void {
  const badge = due.isTest ? testBadge((note.speech ?? speechOf(ctx)).words) : null;
  const head = payeeHead({ merchant, logo: logoOf(ctx, merchant) }, badge);
  sendPage(ctx, 200, { ...note, body: html`${head} ${note.body}`, brand: brandOf(merchant), script: payScript });
}

function brandOf({ brand: { logo, colour } }: Merchant): PageBrand {
  return { logo: logo === null ? null : logoPath(logo), colour };
}

function logoOf(ctx: Ctx, { brand }: Merchant): string | null {
  return brand.logo === null ? null : addressFrom(ctx, { path: logoPath(brand.logo) });
}

export interface LinkVisit {
  /** The payer's input, from this or an earlier request. */
  readonly typed: Typed;
  /** Why the payer's input was refused. */
  readonly error?: GatewayError;
  readonly now: Date;
  /** The key of the link, if it is not in the address. */
  readonly linkKey?: string | undefined;
  /** The provider sent the payer back because the payer gave up. */
  readonly isCancelled?: boolean | undefined;
}

/** The page of the link: what to pay, how, and the next step. */
export function showLink(ctx: Ctx, page: PayPage, given: LinkVisit): void {
  const { typed, error, now, linkKey, isCancelled = false } = given;
  const { details, action, merchant } = page;
  if (!details) return sendStatusPage(ctx, 404);
  const openStep = openStepOf(ctx, details, given);
  if (openStep === 'lead' && action?.type === 'redirect' && action.method === 'POST')
    return showAction(ctx, page, action);
  const speech = speechOf(ctx);
  const { words, locale } = speech;
  const ways = waysFor(details.ways, isPhone(ctx));
  const chosen = (error ? undefined : singleValue(ctx.query['way'])) ?? typed['way'];
  const way = ways.find(({ id }) => id === chosen) ?? ways[0];
  const currency = details.currency ?? details.unit;
  const country = likelyCountry(ctx.acceptsLanguages(), currency);
  const problems: Problems = error
    ? problemsOf(error, speech, {
        waits: action !== null,
        isCard: way?.instrument === 'card',
        country: typed['country'] ?? details.known.country ?? country,
      })
    : noProblems;
  const link = linkOf(ctx, linkKey);
  const { title, body, hasHelp, ...leads } = checkout({
    speech,
    page,
    details,
    ways,
    way,
    base: addressFrom(ctx, { path: '' }),
    link,
    address: openStep === 'other' ? `${link}&other=1` : link,
    openStep,
    isCancelled,
    logo: logoOf(ctx, merchant),
    amount: showAmount(locale, details.amount, currency),
    likelyCountry: country,
    typed,
    problems,
    stays: singleValue(ctx.query['stay']) === '1',
    now,
  });
  sendPage(ctx, error ? errorKinds[error.kind].status : 200, {
    title: `${title} · ${merchant.name}`,
    body: html`${body} ${foot(words, merchant.brand, languageSwitch(ctx, speech), hasHelp)}`,
    brand: brandOf(merchant),
    script: payScript,
    speech,
    layout: 'checkout',
    isOwn: true,
    ...leads,
    ...(leads.goesTo === undefined && { watch: watchOf(ctx, page, isCancelled) }),
  });
}

/** The form of this attempt sent the payer to the bank so recently that the payer cannot have come back yet. */
const LEADS_FOR_MS = 2 * MINUTE;

function openStepOf(
  ctx: Ctx,
  details: PayPageDetails,
  { typed, error, now, isCancelled }: LinkVisit,
): PayView['openStep'] {
  const isFormOfWays = error !== undefined && typed['way'] !== 'confirm';
  const wantsOther = singleValue(ctx.query['other']) === '1' || isCancelled || isFormOfWays;
  if (details.otherWay === 'now' && wantsOther) return 'other';
  const { startedAt, attempts } = details;
  const isRecent = startedAt !== null && now.getTime() - startedAt.getTime() < LEADS_FOR_MS;
  return singleValue(ctx.query['go']) === String(attempts) && isRecent && !isCancelled ? 'lead' : 'ask';
}

/**
 * A waiting page polls with the token of the return address. While the payer may be at the bank in another tab, or
 * after the payer gave up there, a poll is no return: it must not complete the step.
 */
function watchOf(ctx: Ctx, { returnPart, stamp, action }: PayPage, isCancelled: boolean): Watch {
  const kind = action?.type === 'redirect' ? '&quiet=1' : isCancelled ? '&cancelled=1' : '';
  return { address: `state/${ctx.params['id']}?r=${returnPart}${kind}`, stamp };
}

export function singleValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * The address of the page with the key of the link, relative to the page: a proxy may serve it behind a path prefix.
 */
export function linkOf(ctx: Ctx, linkKey = singleValue(ctx.query['k']) ?? ''): string {
  const lang = singleValue(ctx.query['lang']);
  return `?k=${encodeURIComponent(linkKey)}${lang ? `&lang=${encodeURIComponent(lang)}` : ''}`;
}

/** A link into an app is only for the device that has the app. Payers in India expect UPI first. */
function waysFor(ways: readonly PayerWay[], isOnPhone: boolean): readonly PayerWay[] {
  const usable = ways.filter(({ method }) => isOnPhone || method !== 'upi_intent');
  const isFirst = ({ method, currency }: PayerWay): boolean => currency === 'INR' && method.startsWith('upi_');
  return [...usable.filter(isFirst), ...usable.filter((way) => !isFirst(way))];
}

function isPhone(ctx: Ctx): boolean {
  return ctx.get('Sec-CH-UA-Mobile') === '?1' || /\b(Android|iPhone|iPad|iPod)\b/.test(ctx.get('User-Agent'));
}
