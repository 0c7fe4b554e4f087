/** The pages that a sandbox shows to payers: plain forms in one style, everything escaped, no outside resource. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { headerValues } from '../callback.ts';
import { decimalsOf, isCurrency } from '../money/currencies.ts';
import { formatAmount, type Money } from '../money/money.ts';
import { hash } from '../proof/signatures.ts';
import { pageStyle } from './page-style.ts';
import { htmlReply, jsonReply, type Reply } from './reply.ts';
import type { SandboxRequest } from './router.ts';
import type { Sandbox, SandboxProvider, TestValue } from './sandbox-contract.ts';
import { testAmounts, testCards } from './test-cards.ts';

type Fields = Readonly<Record<string, string>>;

/** What a page says about its payment. */
export interface PageSummary {
  /** Absent if the payment was asked for in a currency that the provider does not know. */
  readonly money?: Money;
  /** The merchant's account at the provider, by name or number. */
  readonly shop: string;
  /** The gateway's reference of the payment. */
  readonly reference: string;
}

export interface ChoicePage {
  readonly title: string;
  /** The address that the form posts to. */
  readonly action: string;
  /** Each choice is a submit button with this name and one of these values. */
  readonly name: string;
  readonly values: readonly string[];
  readonly hidden?: Fields;
  /** Text inputs by name, with their initial values. */
  readonly inputs?: Fields;
  /** The label of an input, by its name; the name itself by default. */
  readonly labels?: Fields;
  /** A sentence above the form. */
  readonly text?: string;
  readonly summary: PageSummary;
}

/** A page with one form, `method="post"`, and a submit button for each choice. */
export function choicePage(page: ChoicePage): Reply {
  const { title, action, name, values, hidden = {}, inputs = {}, labels = {}, text, summary } = page;
  const typed = Object.entries(inputs).map(
    ([input, value]) =>
      html`<label>${labels[input] ?? input} <input name="${input}" value="${value}" autocomplete="off" /></label>`,
  );
  const buttons = values.map(
    (value) => html`<button type="submit" name="${name}" value="${value}">${buttonLabels[value] ?? value}</button>`,
  );
  const body = html`${text === undefined ? null : html`<p>${text}</p>`}
    <form method="post" action="${action}">
      ${hiddenInputs(hidden)}${typed}
      <div class="choices">${buttons}</div>
    </form>`;
  return pageReply(200, { title, body, summary });
}

/** The labels of choices that many sandboxes offer. The value of a button stays the value of the choice. */
const buttonLabels: Readonly<Record<string, string>> = {
  pass: 'Approve',
  fail: 'Decline',
  pay: 'Pay',
  cancel: 'Cancel',
  leave: 'Leave without paying',
  part: 'Send 60 %',
  over: 'Send too much',
  late: 'Pay too late',
  lapse: 'Let it expire',
  expire: 'Let it expire',
  void: 'Cancel',
};

const sendForm = "document.getElementById('return').submit();";

/**
 * The form that brings the payer's browser back to the gateway by POST: `id="return"`. A script submits it; without
 * script its button does. A caller that accepts `application/json` gets `{ "method", "action", "fields" }` instead.
 */
export function returnForm(request: SandboxRequest, action: string, fields: Fields): Reply {
  if (headerValues(request, 'accept').some((value) => value.toLowerCase().includes('application/json'))) {
    return jsonReply(200, { method: 'POST', action, fields });
  }
  const body = html`<form id="return" method="post" action="${action}">
    ${hiddenInputs(fields)}<button type="submit">Continue</button>
  </form>`;
  return pageReply(200, { title: 'Back to the shop', body, script: sendForm });
}

/** A short page without a form. */
export function messagePage(status: number, text: string): Reply {
  return pageReply(status, { title: text });
}

export interface IndexFacts {
  /** Undefined: the page names no provider, and lists the cards. */
  readonly provider?: SandboxProvider | undefined;
  /** The values of this provider, in addition to the shared cards and amounts. */
  readonly testValues?: readonly TestValue[] | undefined;
  /** The gateway's public address. */
  readonly publicUrl: string;
}

/** The page at the root of a sandbox: what a developer can enter to see each result. */
export function indexPage(
  { events = [], causes = {} }: Pick<Sandbox, 'events' | 'causes'>,
  { provider, testValues = [], publicUrl }: IndexFacts,
): Reply {
  const { name, title, code, inputs } = provider ?? {
    name: '<adapter>',
    title: 'a provider',
    code: 0,
    inputs: ['card'],
  };
  const caused = Object.keys(causes);
  const example = caused.includes('payment.refunded') ? 'payment.refunded' : (caused[0] ?? events[0] ?? 'list');
  const body = html`<p>
      The gateway calls this address in place of ${title} when it makes a test payment. Any value that is not listed
      here is paid. More is in the <a href="${publicUrl}/docs/testing">guide to test values</a>.
    </p>
    ${memberTables(testValues)} ${inputs.includes('card') ? valuesTable('Card number', testCards) : null}
    ${valuesTable('Amount ends in', testAmounts)}
    <h2>Events</h2>
    <p>Send an event about a payment, in the folder of the gateway:</p>
    <pre>paywright trigger ${name} ${example} --payment 10042</pre>
    ${eventList('Notifications of the gateway', caused)} ${eventList('Events of the provider', events)}`;
  return pageReply(200, { title: provider ? `Sandbox of ${title} (code ${code})` : 'Sandbox', body });
}

/** What a developer enters, by the member of the test value. */
const memberTitles: Readonly<Record<TestValue['member'], string>> = {
  number: 'Card number',
  token: 'Card token',
  upiId: 'UPI id',
  email: 'E-mail address, before the @',
  name: 'Name begins with',
  country: 'Country',
  amount: 'Amount',
  refund: 'Refund ends in',
  page: 'Button of the page',
};

/** A table for each kind of value, so that no column repeats the kind. */
function memberTables(values: readonly TestValue[]): (SafeHtml | null)[] {
  return Object.entries(memberTitles).map(([member, title]) =>
    valuesTable(
      title,
      values.filter((one) => one.member === member),
    ),
  );
}

function eventList(title: string, events: readonly string[]): SafeHtml | null {
  if (events.length === 0) return null;
  return html`<h3>${title}</h3>
    <ul>
      ${events.map((event) => html`<li><code>${event}</code></li>`)}
    </ul>`;
}

function valuesTable(title: string, values: readonly TestValue[]): SafeHtml | null {
  if (values.length === 0) return null;
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${title}</th>
        <th scope="col">Result</th>
      </tr>
    </thead>
    <tbody>
      ${values.map(
        ({ value, result }) =>
          html`<tr>
            <td><code>${value}</code></td>
            <td>${result}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function hiddenInputs(fields: Fields): SafeHtml[] {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
}

interface PageContent {
  readonly title: string;
  readonly body?: SafeHtml;
  readonly summary?: PageSummary | undefined;
  /** Runs after the body is loaded. */
  readonly script?: string;
}

const digestOf = (source: string): string => `'sha256-${hash('sha256', source).toString('base64')}'`;

function pageReply(status: number, parts: PageContent): Reply {
  const scripts = parts.script === undefined ? '' : `; script-src ${digestOf(parts.script)}`;
  return htmlReply(status, `<!doctype html>\n${String(renderPage(parts))}\n`, {
    'Content-Security-Policy': `default-src 'none'; base-uri 'none'; style-src ${digestOf(pageStyle)}${scripts}`,
    'X-Content-Type-Options': 'nosniff',
  });
}

function renderPage({ title, body, summary, script }: PageContent): SafeHtml {
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>${/sandbox/i.test(title) ? title : `${title} (sandbox)`}</title>
      ${html.raw`<style>${pageStyle}</style>`}
    </head>
    <body>
      <header class="sandbox"><strong>SANDBOX</strong> No money moves here.</header>
      <main>
        <h1>${title}</h1>
        ${summary ? renderSummary(summary) : null}${body}
      </main>
      ${script === undefined ? null : html.raw`<script>${script}</script>`}
    </body>
  </html>`;
}

function renderSummary({ money, shop, reference }: PageSummary): SafeHtml {
  const amount = money && html`<p class="amount">${amountText(money)}</p>`;
  return html`${amount}
    <dl>
      <dt>Account</dt>
      <dd>${shop}</dd>
      <dt>Payment</dt>
      <dd>${reference}</dd>
    </dl>`;
}

/** As English readers write it, such as €25.90: digit for digit, because the amount is decimal text. */
function amountText(money: Money): string {
  if (!isCurrency(money.currency)) return `${formatAmount(money)} ${money.currency}`;
  const decimals = decimalsOf(money.currency);
  const style = { style: 'currency', currency: money.currency } as const;
  const format = new Intl.NumberFormat('en', {
    ...style,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return format.format(formatAmount(money) as `${number}`);
}
