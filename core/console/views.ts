/** Every page of the console: its address, its section, and the function that renders it. */
import type { SafeHtml } from '@remix-run/html-template';
import { accountName } from './providers/account-actions.ts';
import { accountPage, changeAccountPage, newAccountPage } from './providers/account-pages.ts';
import { adapterPage, adaptersPage, adapterTitle } from './providers/adapters.ts';
import { alarmPage, alarmTitle } from './system/alarm-page.ts';
import { alarmsPage } from './system/alarms.ts';
import { auditPage } from './system/audit.ts';
import { callbackPage, callbacksPage, callbackTitle } from './messages/callbacks.ts';
import { checksPage } from './payments/checks.ts';
import type { ConsoleDeps } from './deps.ts';
import { disputesPage } from './payments/disputes.ts';
import { paymentIdOf } from './kit/action.ts';
import { galleryPage, galleryPath } from './gallery/gallery.ts';
import { jobsPage } from './system/jobs.ts';
import type { Listing, ShowTable } from './kit/listing.ts';
import { merchantPage } from './merchants/merchant-page.ts';
import { merchantName, merchantsPage } from './merchants/merchants.ts';
import { newMerchantPage } from './merchants/new-merchant.ts';
import { notificationPage, notificationsPage, notificationTitle } from './messages/notifications.ts';
import { refusedCallbacksPage } from './messages/refused-callbacks.ts';
import { overviewPage } from './overview/overview.ts';
import type { PageBody, Section } from './kit/page.ts';
import { missingPayment, paymentPage } from './payments/payment.ts';
import { paymentsPage } from './payments/payments.ts';
import { idIn, type Query } from '../html/components/query.ts';
import { replayPage } from './providers/replay-page.ts';
import { resendPage } from './messages/resend-page.ts';
import type { Session } from './sign-in/session.ts';
import { newSettlementPage, settlementUploadPage } from './system/settlement-upload.ts';
import { settlementPage, settlementRunPage } from './system/settlement.ts';

interface Page {
  readonly path: string;
  readonly section: Section;
  /** The title of a page about one thing. Absent: the page has the title of its section. */
  readonly title?: (id: string, deps: ConsoleDeps) => string | Promise<string>;
  /** True if `mode` in the address chooses the mode in which the operator works from then on. */
  readonly hasModes?: true;
  /** What the page says if there is nothing of this id. Absent: the reason of the refusal. */
  readonly missing?: { readonly title: string; readonly body: (id: string) => SafeHtml };
}

interface PageRequest {
  readonly id: string;
  readonly query: Query;
  readonly table: ShowTable;
}

/** A page with a layout of its own. */
export interface CustomPage extends Page {
  readonly show: (deps: ConsoleDeps, session: Session, request: PageRequest) => Promise<SafeHtml | PageBody>;
}

/** A page that consists of one table. */
export interface ListPage extends Page {
  /** `rows` is the number of rows per read of an export. Undefined: the page uses its own number. */
  readonly list: (
    deps: ConsoleDeps,
    session: Session,
    request: { readonly query: Query; readonly rows: number | undefined },
  ) => Promise<Listing>;
}

export type View = CustomPage | ListPage;

export const views: readonly View[] = [
  {
    path: '/ops',
    section: 'now',
    hasModes: true,
    show: async (deps, { mode }, { query, table }) => overviewPage(deps, { query, table, mode }),
  },
  {
    path: '/ops/payments',
    section: 'payments',
    hasModes: true,
    list: async (deps, session, request) => paymentsPage(deps, session, request),
  },
  {
    path: '/ops/disputes',
    section: 'disputes',
    hasModes: true,
    list: async (deps, session, request) => disputesPage(deps, session, request),
  },
  {
    path: '/ops/payments/:id',
    section: 'payments',
    title: (id) => `Payment ${id}`,
    missing: { title: 'Payment not found', body: missingPayment },
    show: async (deps, session, { id, table, query }) => paymentPage(deps, paymentIdOf(id), session, { table, query }),
  },
  {
    path: '/ops/checks',
    section: 'checks',
    list: async (deps, session, request) => checksPage(deps, session, request),
  },
  { path: '/ops/callbacks', section: 'callbacks', list: async (deps, _, request) => callbacksPage(deps, request) },
  {
    path: '/ops/callbacks/refused',
    section: 'callbacks',
    title: () => 'Refused callbacks',
    list: async (deps, _, { query }) => refusedCallbacksPage(deps, query),
  },
  {
    path: '/ops/callbacks/:id',
    section: 'callbacks',
    title: async (id, deps) => callbackTitle(deps, id),
    show: async (deps, session, { id, table }) => callbackPage(deps, id, session, table),
  },
  {
    path: '/ops/notifications',
    section: 'notifications',
    list: async (deps, session, request) => notificationsPage(deps, request, session),
  },
  {
    path: '/ops/notifications/resends/:id',
    section: 'notifications',
    title: () => 'Resending notifications',
    show: async (deps, _, { id }) => resendPage(deps, id),
  },
  {
    path: '/ops/notifications/:id',
    section: 'notifications',
    title: async (id, deps) => notificationTitle(deps, id),
    show: async (deps, session, { id }) => notificationPage(deps, id, session),
  },
  {
    path: '/ops/alarms',
    section: 'alarms',
    show: async (deps, session, { query, table }) => alarmsPage(deps, session, { query, table }),
  },
  {
    path: '/ops/alarms/:id',
    section: 'alarms',
    title: async (id, deps) => alarmTitle(deps, id),
    show: async (deps, session, { id }) => alarmPage(deps, id, session),
  },
  { path: '/ops/jobs', section: 'jobs', list: async (deps, session) => jobsPage(deps, session) },
  { path: '/ops/adapters', section: 'adapters', show: async (deps, _, { table }) => adaptersPage(deps, table) },
  {
    path: '/ops/adapters/replays/:id',
    section: 'adapters',
    title: () => 'Candidate test',
    show: async (deps, _, { id, table }) => replayPage(deps, id, table),
  },
  {
    path: '/ops/adapters/accounts/:id',
    section: 'adapters',
    title: (id, deps) => accountName(deps, id),
    show: async (deps, session, { id, table }) => accountPage(deps, id, session, table),
  },
  {
    path: '/ops/adapters/accounts/:id/change',
    section: 'adapters',
    title: (id, deps) => `Change ${accountName(deps, id)}`,
    show: async (deps, session, { id }) => changeAccountPage(deps, id, session),
  },
  {
    path: '/ops/adapters/:id/accounts/new',
    section: 'adapters',
    title: (id, deps) => `New account at ${deps.adapters.title(id)}`,
    show: async (deps, session, { id }) => newAccountPage(deps, id, session),
  },
  {
    path: '/ops/adapters/:id',
    section: 'adapters',
    title: (id, deps) => adapterTitle(deps, id),
    show: async (deps, session, { id, table }) => adapterPage(deps, id, session, table),
  },
  {
    path: '/ops/merchants',
    section: 'merchants',
    list: async (deps, session, { query }) => merchantsPage(deps, query, session),
  },
  {
    path: '/ops/merchants/new',
    section: 'merchants',
    title: () => 'New merchant',
    show: async (deps, session) => newMerchantPage(deps, session),
  },
  {
    path: '/ops/merchants/:id',
    section: 'merchants',
    title: async (id, deps) => merchantName(deps, id),
    show: async (deps, session, { id, table, query }) => merchantPage(deps, id, session, { table, query }),
  },
  {
    path: '/ops/settlement',
    section: 'settlement',
    list: async (deps, session, request) => settlementPage(deps, session, request),
  },
  {
    path: '/ops/settlement/new',
    section: 'settlement',
    title: () => 'Compare a settlement file',
    show: async (deps, session) => newSettlementPage(deps, session),
  },
  {
    path: '/ops/settlement/uploads/:id',
    section: 'settlement',
    title: (id, { settlementUploads }) => settlementUploads.get(id).name,
    show: async (deps, session, { id, table }) => settlementUploadPage(deps, id, session, table),
  },
  {
    path: '/ops/settlement/:id',
    section: 'settlement',
    title: async (id, { settlements }) => (await settlements.get(id))?.file ?? 'Settlement file',
    show: async (deps, session, { id, table }) => settlementRunPage(deps, id, session, table),
  },
  { path: '/ops/audit', section: 'audit', list: async (deps, _, request) => auditPage(deps, request) },
  {
    path: galleryPath,
    section: 'gallery',
    show: async (deps, session, request) => galleryPage(deps, session, request),
  },
];

/** The page of this address, and the id in it. Undefined: there is none. */
export function viewAt(path: string): { readonly view: View; readonly id: string } | undefined {
  for (const view of views) {
    const id = idIn(view.path, path);
    if (id !== undefined) return { view, id };
  }
  return undefined;
}
