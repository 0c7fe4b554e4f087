/** The frame of every page of the console: the navigation and the signed-in operator. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { cardOf, contentOf, navigation, sendFrame, testLine, type Content } from '../../html/components/frame.ts';
import { toast } from '../../html/components/parts.ts';
import type { Environment } from '../../base/environment.ts';
import type { Answering, Ctx } from '../../http/state.ts';
import { icon, script, style } from './assets.ts';
import type { Session } from '../sign-in/session.ts';

export const sections = {
  now: { path: '/ops', title: 'Overview' },
  alarms: { path: '/ops/alarms', title: 'Alarms' },
  payments: { path: '/ops/payments', title: 'Payments' },
  disputes: { path: '/ops/disputes', title: 'Disputes' },
  checks: { path: '/ops/checks', title: 'Status checks' },
  settlement: { path: '/ops/settlement', title: 'Settlement' },
  adapters: { path: '/ops/adapters', title: 'Adapters' },
  callbacks: { path: '/ops/callbacks', title: 'Callbacks' },
  merchants: { path: '/ops/merchants', title: 'Merchants' },
  notifications: { path: '/ops/notifications', title: 'Notifications' },
  jobs: { path: '/ops/jobs', title: 'Jobs' },
  audit: { path: '/ops/audit', title: 'Audit' },
  gallery: { path: '/ops/gallery', title: 'Gallery' },
} as const;
export type Section = keyof typeof sections;

/** The sections by what an operator wants. Every section is in one group, except the gallery. */
export const groups: readonly { readonly title?: string; readonly sections: readonly Section[] }[] = [
  { sections: ['now', 'alarms'] },
  { title: 'Payments', sections: ['payments', 'disputes', 'checks'] },
  { title: 'Money', sections: ['settlement'] },
  { title: 'Providers', sections: ['adapters', 'callbacks'] },
  { title: 'Merchants', sections: ['merchants', 'notifications'] },
  { title: 'System', sections: ['jobs', 'audit'] },
];

/** The content of a page, and the one action of it that operators most often want. */
export interface PageBody {
  readonly body: SafeHtml;
  /** A link or a form, shown next to the title. */
  readonly primary?: SafeHtml | null | undefined;
  /** The page that replaces this one, because what it showed is over. */
  readonly leadsTo?: string;
  /** The mode of the payments on the page. Absent: it shows none, or those of both modes. */
  readonly mode?: Environment | undefined;
}

export interface ConsolePage {
  readonly title: string;
  /** Null: the page is in no section. */
  readonly section: Section | null;
  readonly body: SafeHtml;
  readonly session: Session;
  readonly status?: number;
  /** The one action of the page that operators most often want: a link or a form. */
  readonly primary?: SafeHtml | null | undefined;
  /** The list that the thing of this page belongs to. */
  readonly parent?: Content['parent'];
  /** What the operator has just done. */
  readonly done?: string | undefined;
  /** The mode of the payments that the page shows. Absent: it shows none, or those of both modes. */
  readonly mode?: Environment | undefined;
  /** True if the page asks before it changes something. It then also names the live mode. */
  readonly isQuestion?: boolean;
  /** The address of the page that answers a form. */
  readonly address?: string | undefined;
}

/** Filled by the script: says whether the page is up to date, and has a button that pauses the updates. */
const liveNote = html`<p class="live">
  <span data-live-note></span> <button type="button" data-live-pause hidden>Pause</button>
  <span class="unseen" role="status" data-live-status></span>
</p>`;

/** The line above a question whose answer moves the money of a live payment. */
const liveLine = html`<p class="test-line live-line">Live mode: real money moves.</p>`;

export function sendConsolePage(ctx: Ctx, page: ConsolePage): void {
  const { title, section, body, session, status = 200, primary = null, parent, done, mode, isQuestion, address } = page;
  const { operator, formToken, by, counts = {} } = session;
  const who = html`<form method="post" action="/ops/sign-out" class="who">
    <span class="name">${operator.name} <small>${operator.role}</small></span>
    <input type="hidden" name="formToken" value="${formToken}" />
    ${by === 'proxy' ? null : html`<button>Sign out</button>`}
  </form>`;
  const bar = navigation({
    brand: { title: 'Paywright', path: '/ops' },
    groups: groups.map(({ sections: names, ...group }) => ({
      ...group,
      links: names.map((name) => ({
        ...sections[name],
        isCurrent: name === section,
        count: counts[name],
        isUrgent: name === 'alarms',
      })),
    })),
    who,
  });
  const content = contentOf({
    title,
    body: html`${done === undefined ? null : toast(done)} ${body}`,
    parent,
    above: mode === 'test' ? testLine : mode === 'live' && isQuestion ? liveLine : null,
    actions: html`<div class="title-actions">${liveNote} ${primary}</div>`,
  });
  send(ctx, { status, title, body: html`${bar} ${content}`, address });
}

/** A page without a session. */
export function sendPlainPage(ctx: Answering, status: number, title: string, body: SafeHtml): void {
  send(ctx, { status, title, body: cardOf(title, body) });
}

function send(
  ctx: Answering,
  page: {
    readonly status: number;
    readonly title: string;
    readonly body: SafeHtml;
    readonly address?: string | undefined;
  },
): void {
  sendFrame(ctx, { ...page, style: `/${style.path}`, icon: `/${icon.path}`, script: `/${script.path}` });
}
