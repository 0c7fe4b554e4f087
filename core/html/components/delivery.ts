/** One notification to a merchant, as console and portal show it: its attempts with their answers, and its request. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { indentJson } from './indent-json.ts';
import { badge, details, sectionHead, table, time, type Cell, type Look } from './parts.ts';
import { capitalise } from '../../base/text/capitalise.ts';

export interface ShownAttempt {
  readonly at: Date;
  readonly ms: number | null;
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the text that the receiver answered. */
  readonly answer?: string;
}

export interface ShownDelivery {
  readonly type: string;
  readonly state: string;
  /** Null: no attempt is planned, or one is in progress. */
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly ShownAttempt[];
  readonly request: {
    readonly url: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body: string;
  };
  /** Facts that only one of the pages has, such as the merchant. */
  readonly facts: readonly (readonly [name: string, value: Cell])[];
}

/** A waiting notification whose latest attempt failed. It is sent again automatically. */
export const retrying = 'failing';

/** States that merchants do not know by the words of the API. */
const stateWords: Readonly<Record<string, string>> = {
  exhausted: 'failed',
  gone: 'rejected (410)',
  [retrying]: 'retrying',
};
const stateLooks: Readonly<Record<string, Look>> = { exhausted: 'bad', gone: 'bad', [retrying]: 'warn' };

/** The state of a notification for people. The API's words for the last two are `exhausted` and `gone`. */
export function deliveryBadge(one: DeliveryState): SafeHtml {
  const state = isRetried(one) ? retrying : one.state;
  const words = stateWords[state];
  return words === undefined ? badge(state) : badge(words, stateLooks[state]);
}

type DeliveryState = Pick<ShownDelivery, 'state'> & { readonly attempts: readonly Pick<ShownAttempt, 'status'>[] };

function isRetried({ state, attempts }: DeliveryState): boolean {
  const { status = 200 } = attempts.at(-1) ?? {};
  return state === 'waiting' && (status === null || status >= 300);
}

export function deliveryStateText(state: string): string {
  return stateWords[state] ?? state.replaceAll('_', ' ');
}

/** The type of an event for people: `payment.refund_failed` is “Payment refund failed”. */
export function eventWords(type: string): string {
  const words = type.replaceAll(/[._]/g, ' ').replace(/^api\b/, 'API');
  return capitalise(words);
}

/** The result of an attempt in few words. */
export function attemptResult({ status, error }: Pick<ShownAttempt, 'status' | 'error'>): SafeHtml {
  const look = status !== null && status >= 200 && status < 300 ? 'good' : 'bad';
  const words = status === null ? shortFailure(error) : `HTTP ${status}`;
  return badge(words, look);
}

/** Why an attempt had no answer, by what its error says. The error itself is shown with the attempt. */
const failures: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/ECONNREFUSED/, 'Connection refused'],
  [/no complete answer within/, 'Timed out'],
  [/host name/, 'Host not found'],
  [/^TLS/, 'TLS failed'],
  [/not allowed|no public address|is not http/, 'Not sent: address refused'],
  [/disabled/, 'Endpoint disabled'],
];

function shortFailure(error: string | null): string {
  return failures.find(([pattern]) => pattern.test(error ?? ''))?.[1] ?? 'No answer';
}

/** The host and port of an address. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Host and path on one line. A long path is cut off; its end is shown while the pointer is on it. */
export function addressCell(url: string): SafeHtml {
  const path = URL.canParse(url) ? new URL(url).pathname : '/';
  return html`<span class="address" title="${url}">${hostOf(url)}${path === '/' ? '' : path}</span>`;
}

export function deliveryView({ type, state, nextAttemptAt, attempts, request, facts }: ShownDelivery): SafeHtml {
  return html`${details([
      ['State', deliveryBadge({ state, attempts })],
      ['Event', html`${eventWords(type)} <code>${type}</code>`],
      ['Sent to', html`<span class="long">${request.url}</span>`],
      ...facts,
      ...(state === 'waiting' ? [['Next attempt', nextText(nextAttemptAt)] as const] : []),
    ])}
    ${sectionHead('Attempts')}
    ${table({
      caption: 'Attempts, latest first',
      head: [
        { name: 'Time', kind: 'short' },
        { name: 'Result', kind: 'short' },
        'Milliseconds',
        { name: 'Answer', kind: 'long' },
      ],
      rows: attempts
        .toReversed()
        .map((one) => [time(one.at, { precise: true }), attemptResult(one), one.ms, answerCell(one)]),
      empty: 'No attempt yet.',
    })}
    ${sectionHead('Request')}
    <p class="prose">The body is sent in one line; the signatures cover exactly those bytes.</p>
    <pre tabindex="0" class="wrapped" aria-label="Request">${requestText(request)}</pre>`;
}

/** The answer's text, or what went wrong without one. */
function answerCell({ answer, error, status }: ShownAttempt): Cell {
  if (answer !== undefined) return html`<pre class="excerpt">${answer}</pre>`;
  return html`<small>${status === null ? (error ?? 'No answer.') : 'No text was kept.'}</small>`;
}

function requestText({ url, headers, body }: ShownDelivery['request']): string {
  return [`POST ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', indentJson(body)].join('\n');
}

function nextText(at: Date | null): SafeHtml | string {
  return at === null ? 'An attempt is in progress.' : time(at, { seconds: true });
}
