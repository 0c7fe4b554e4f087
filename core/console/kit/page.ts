/** The frame of every page of the console: the navigation and the signed-in operator. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { barOf, cardOf, contentOf, sendFrame } from '../../html/components/frame.ts';
import { doneNote } from '../../html/components/parts.ts';
import type { Answering, Ctx } from '../../http/state.ts';
import { script, style } from './assets.ts';
import type { Session } from '../sign-in/session.ts';

export const sections = {
  now: { path: '/ops', title: 'Overview' },
  payments: { path: '/ops/payments', title: 'Payments' },
  callbacks: { path: '/ops/callbacks', title: 'Callbacks' },
  notifications: { path: '/ops/notifications', title: 'Notifications' },
  alarms: { path: '/ops/alarms', title: 'Alarms' },
  jobs: { path: '/ops/jobs', title: 'Jobs' },
  adapters: { path: '/ops/adapters', title: 'Adapters' },
  merchants: { path: '/ops/merchants', title: 'Merchants' },
  settlement: { path: '/ops/settlement', title: 'Settlement' },
  audit: { path: '/ops/audit', title: 'Audit' },
} as const;
export type Section = keyof typeof sections;

export interface ConsolePage {
  readonly title: string;
  readonly section: Section;
  readonly body: SafeHtml;
  readonly session: Session;
  readonly status?: number;
}

/** Filled by the script: says whether the page is up to date, and has a button that pauses the updates. */
const liveNote = html`<p class="live">
  <span data-live-note></span> <button type="button" data-live-pause hidden>Pause</button>
  <span class="unseen" role="status" data-live-status></span>
</p>`;

export function sendConsolePage(ctx: Ctx, { title, section, body, session, status = 200 }: ConsolePage): void {
  const { operator, formToken, by } = session;
  const who = html`<form method="post" action="/ops/sign-out" class="who">
    <span>${operator.name} <small>${operator.role}</small></span>
    <input type="hidden" name="formToken" value="${formToken}" />
    ${by === 'proxy' ? null : html`<button>Sign out</button>`}
  </form>`;
  const bar = barOf({ brand: 'Paywright', sections, section, who });
  const content = contentOf(title, html`${doneNote(ctx.query)} ${body}`, liveNote);
  send(ctx, status, title, html`${bar} ${content}`);
}

/** A page without a session. */
export function sendPlainPage(ctx: Answering, status: number, title: string, body: SafeHtml): void {
  send(ctx, status, title, cardOf(title, body));
}

function send(ctx: Answering, status: number, title: string, body: SafeHtml): void {
  sendFrame(ctx, { status, title, body, style: `/${style.path}`, script: `/${script.path}` });
}
