/** The payer's next step: to the bank, a code, an app, or an address for coins. */
import { divideDecimals, isAboveZero, isCurrency, isDecimal, type Action } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { appLink } from '../app-link.ts';
import { coinLink } from '../coin-link.ts';
import { showAmount } from '../../base/text/show-amount.ts';
import { coinName, networkName } from '../format.ts';
import type { Speech } from '../../html/words/index.ts';
import { attributes } from '../../html/attributes.ts';
import { referrerPolicy } from '../../html/page.ts';
import { coinsSoFar, amountLeft } from './coins.ts';
import { codeForm } from './pay-form.ts';
import type { PayView } from './pay-view.ts';
import { qrCode } from './qr.ts';
import { until } from './time.ts';

export interface Step {
  readonly title: string;
  readonly body: SafeHtml;
  /** The page redirects to this address immediately. */
  readonly goesTo?: string;
  /** The payer types something or decides, so the page stays. */
  readonly isTyping?: true;
  /** The address to which the form of the step posts. */
  readonly formTarget?: string;
  /** The target recognises the merchant by the origin of this page. */
  readonly referrer?: 'origin' | undefined;
}

/** A form may only post to our own address. A page redirects the payer, not the answer to a form. */
export function stepOf(view: PayView, action: Action): Step {
  const { words } = view.speech;
  switch (action.type) {
    case 'redirect': {
      const { href } = new URL(action.url);
      const { referrer } = action;
      if (view.openStep !== 'lead') return askToContinue(view, action, href);
      const { title, text } = words.bankStep;
      const body = html`<p>${text}</p>
        <p>${linkTo(href, words.proceed, referrer)}</p>`;
      return { title, body, goesTo: href, referrer };
    }
    case 'confirm': {
      const { title, text } = words.codeStep;
      const body = html`<p>${text}</p>
        ${codeForm(view)}`;
      return { title, body, isTyping: true };
    }
    case 'upi':
      return upiStep(view, action);
    case 'qr':
      return qrStep(view, action);
    case 'crypto':
      return cryptoStep(view, action);
  }
}

/** A form cannot have a policy of its own as a link can, so its page has the policy. */
function linkTo(href: string, word: string, referrer: 'origin' | undefined): SafeHtml {
  return referrer
    ? html`<a class="main" href="${href}" target="_top" referrerpolicy="${referrerPolicy}">${word}</a>`
    : html`<a class="main" href="${href}">${word}</a>`;
}

/** A payer who comes back to an open step decides whether to continue it. */
function askToContinue(
  { speech }: PayView,
  { method, fields, referrer }: Extract<Action, { type: 'redirect' }>,
  href: string,
): Step {
  const { title, text, proceed } = speech.words.otherWay;
  const onward =
    method === 'GET'
      ? html`<p>${linkTo(href, proceed, referrer)}</p>`
      : html`<form method="post" action="${href}" target="_top">
          ${hiddenInputs(fields)}<button class="main"><span>${proceed}</span></button>
        </form>`;
  const body = html`<p>${text}</p>
    ${onward}`;
  return { title, body, isTyping: true, ...(method === 'POST' && { formTarget: href, referrer }) };
}

function hiddenInputs(fields: Readonly<Record<string, string>> = {}): SafeHtml[] {
  return Object.entries(fields).map(([name, value]) => html`<input ${attributes({ type: 'hidden', name, value })} />`);
}

/** A QR code is for another device, a link for this one. */
function upiStep({ speech, now }: PayView, { mode, link, text, expiry }: Extract<Action, { type: 'upi' }>): Step {
  const { upiStep: step, waiting } = speech.words;
  const code = mode === 'qr' ? (text ?? link) : link;
  const address = [link, text].find((one) => one?.startsWith('upi:'));
  const picture = code === undefined ? null : html`<div class="code">${qrCode(code, step.code)}</div>`;
  const app = address === undefined ? null : html`<a class="main" href="${address}">${step.open}</a>`;
  const body = html`<p>${step[mode]}</p>
    ${mode === 'qr' ? html`${picture}${app ? html`<p class="touch">${app}</p>` : null}` : html`${app ? html`<p>${app}</p>` : null}${picture}`}
    ${until(speech, expiry, now)}
    <p class="aside"><strong>${waiting.once}</strong> ${step.notices}</p>`;
  return { title: mode === 'qr' ? step.scanTitle : step.title, body };
}

/** A text that is no link is copied and pasted into the app. */
function qrStep({ speech, details, now }: PayView, { text, expiry, app }: Extract<Action, { type: 'qr' }>): Step {
  const { qrStep: step, upiStep: upi, waiting, fields } = speech.words;
  const name = app ?? details.wayTitle ?? '';
  const picture = qrCode(text, step.code(name));
  const link = appLink(text);
  const onThisDevice =
    link === undefined
      ? html`<p class="hint">${step.paste(name)}</p>
          <dl class="rows">${copyRow(speech, fields.code, text, text)}</dl>`
      : html`<p class="touch"><a class="main" href="${link}">${step.open(name)}</a></p>`;
  const body = html`<p>${step.text(name)}</p>
    ${picture ? html`<div class="code">${picture}</div>` : null} ${onThisDevice} ${until(speech, expiry, now)}
    <p class="aside"><strong>${waiting.once}</strong> ${upi.notices}</p>`;
  return { title: step.title(name), body };
}

function cryptoStep({ speech, details, now }: PayView, action: Extract<Action, { type: 'crypto' }>): Step {
  const { address, coin, network, memo, expiry } = action;
  const amount = amountLeft(action.amount, details.coins);
  const isPartly = amount !== action.amount;
  const { coin: names, cryptoStep: step } = speech.words;
  const link = coinLink({ ...action, amount });
  const rate = rateOf(speech, details, action);
  const rows = [
    copyRow(speech, names.amount, `${amount} ${coin}`, amount),
    rate === null ? null : row(names.rate, rate),
    row(names.network, html`<strong>${networkName(network)}</strong>`),
    copyRow(speech, names.address, inGroups(address), address),
    memo ? copyRow(speech, names.memo, memo, memo) : null,
  ];
  const body = html`${coinsSoFar(speech, details, true)}
    <div class="code">${qrCode(link ?? address, step.code)}</div>
    ${link === undefined ? null : html`<p><a class="main app" href="${link}">${step.open}</a></p>`}
    <dl class="rows">${rows}</dl>
    <p class="hint">
      ${step.onlyThis(coinName(coin), networkName(network))} ${step.fee}
      ${memo ? html`<strong>${step.withMemo}</strong>` : null}
    </p>
    ${until(speech, expiry, now)}
    <p class="aside">${step.notices}</p>`;
  return { title: isPartly ? step.rest(`${amount} ${coin}`) : step.title, body };
}

/** The price of one coin at which the amount was converted. Null if the price is in the coin itself. */
function rateOf(
  { locale }: Speech,
  { amount: price, currency, unit }: PayView['details'],
  { amount, coin }: Extract<Action, { type: 'crypto' }>,
): string | null {
  const charged = currency ?? unit;
  if (charged === coin || !isCurrency(charged) || !isDecimal(amount) || !isAboveZero(amount)) return null;
  return `1 ${coin} = ${showAmount(locale, divideDecimals(price, amount, RATE_DECIMALS, 'down'), charged)}`;
}

const RATE_DECIMALS = 2;

/** An address in groups, to compare it with the wallet. The gaps are style only, so a copy has none. */
function inGroups(address: string): SafeHtml {
  const groups = address.match(/.{1,4}/gu) ?? [];
  return html`${groups.map((group) => html`<span class="group">${group}</span>`)}`;
}

/** A `wide` value has the whole line below its name. */
function row(name: string, value: SafeHtml | string, kind?: 'wide'): SafeHtml {
  const own = attributes({ class: kind });
  return html`<dt ${own}>${name}</dt>
    <dd ${own}>${value}</dd>`;
}

/** The script adds a button that copies `value`. The value has the whole line below its name, because it is long. */
function copyRow({ words }: Speech, name: string, shown: SafeHtml | string, value: string): SafeHtml {
  const data = attributes({ 'data-copy': value, 'data-copied': words.coin.copied, hidden: true });
  return row(
    name,
    html`<code dir="ltr">${shown}</code>
      <button type="button" class="copy" ${data} aria-label="${words.coin.copyIt(name)}">${words.coin.copy}</button>`,
    'wide',
  );
}

/** A form that the browser posts to the bank: automatically if allowed, else with the button. */
export function bankForm({ words }: Speech, { url, fields }: Extract<Action, { type: 'redirect' }>): SafeHtml {
  const { title, text } = words.bankStep;
  return html`<main class="panel state">
    <h1>${title}</h1>
    <p>${text}</p>
    <form id="go" method="post" action="${new URL(url).href}" target="_top">
      ${hiddenInputs(fields)}<button class="main"><span>${words.proceed}</span></button>
    </form>
  </main>`;
}

/** The link of a page that leads to the bank, for a payer whom the page did not lead there. */
export function bankLink({ words }: Speech, { url, referrer }: Extract<Action, { type: 'redirect' }>): SafeHtml {
  const { title, text } = words.bankStep;
  return html`<main class="panel state">
    <h1>${title}</h1>
    <p>${text}</p>
    <p>${linkTo(new URL(url).href, words.proceed, referrer)}</p>
  </main>`;
}
