/** Every component of the pages in every state, to look at while a component is changed. Not in production. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../base/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../base/async/time.ts';
import {
  actionMenu,
  actionsHeading,
  badge,
  checkBox,
  checkBoxes,
  choice,
  confirmForm,
  copyable,
  details,
  emptyState,
  fact,
  filters,
  fold,
  linkButton,
  money,
  note,
  oneTimeSecret,
  postForm,
  sectionHead,
  span,
  stats,
  tabs,
  textArea,
  textField,
  time,
  timeline,
  toast,
  type FormSession,
  type Table,
} from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import type { ConsoleDeps } from '../deps.ts';
import { chart } from '../kit/chart.ts';
import type { ShowTable } from '../kit/listing.ts';

export const galleryPath = '/ops/gallery';

interface GalleryRequest {
  readonly query: Query;
  readonly table: ShowTable;
}

/** Throws NF001 in production. */
export async function galleryPage(
  { showsGallery, now }: Pick<ConsoleDeps, 'showsGallery' | 'now'>,
  session: FormSession,
  { query, table }: GalleryRequest,
): Promise<{ readonly body: SafeHtml; readonly primary: SafeHtml }> {
  if (!showsGallery) throw notFound('this page');
  const at = now();
  return {
    primary: linkButton('Primary action', galleryPath),
    body: html`<p class="lead">
        One small set of components for console and portal. README.md of core/html names them.
      </p>
      ${words(at)} ${lists(at, query, table)} ${things(at)} ${forms(session)}`,
  };
}

function before(at: Date, ms: number): Date {
  return new Date(at.getTime() - ms);
}

function words(at: Date): SafeHtml {
  return html`${sectionHead('Times, amounts and states')}
    ${details([
      ['A moment ago', time(before(at, 5 * SECOND))],
      ['Seconds ago', time(before(at, 5 * SECOND), { seconds: true })],
      ['Minutes ago', time(before(at, 12 * MINUTE))],
      ['Hours ago', time(before(at, 3 * HOUR))],
      ['In the future', time(before(at, -3 * HOUR))],
      ['Days ago', time(before(at, 40 * DAY))],
      ['Exact', time(before(at, HOUR), { exact: true })],
      ['Precise', time(before(at, HOUR), { precise: true })],
      ['None', time(null)],
      ['Durations', html`${span(42)} · ${span(600)} · ${span(9000)}`],
      ['Amounts', html`${money('59', 'EUR')} · ${money('500', 'JPY')} · ${money('0.00123', 'BTC')}`],
      ['To copy', copyable('GW-10042-1')],
    ])}
    <p>
      ${['paid', 'failed', 'draining', 'created', 'charged_back'].map((state) => html`${badge(state)} `)}
      ${badge('charged back', 'bad')} ${badge('new', 'warn')}
    </p>
    ${toast('Refund of €59.00 requested. Recorded in the audit log.')}
    ${note('good', 'No open alarms. All processes respond.')} ${note('warn', 'The dispute must be answered by Friday.')}
    ${note('bad', 'The database is slow or unavailable.')} ${note('calm', 'Test mode: no real money.')}`;
}

function lists(at: Date, query: Query, table: ShowTable): SafeHtml {
  const states = ['paid', 'failed', 'refunded'];
  const rows: Table['rows'] = Array.from({ length: 4 }, (_, row) => [
    html`<a href="${galleryPath}">179577446250${row}</a>`,
    time(before(at, row * 47 * MINUTE)),
    badge(states[row % states.length]!),
    'Ribeira Books',
    money(`${row + 1}9.90`, 'EUR'),
    row * 3,
    span(row * 70),
    row === 1 ? '–' : 'A long remark that fills the rest of the width, and continues on the next line if it must.',
    html`<div class="acts">${postForm({ formToken: '' }, { action: galleryPath, label: 'Resend' })}</div>`,
  ]);
  return html`${sectionHead('Lists', linkButton('New', galleryPath, { isMain: false }))}
  ${tabs('Views of the list', [
    { title: 'All', path: galleryPath, isCurrent: true },
    { title: 'Needs action', path: `${galleryPath}?view=open`, count: 3 },
    { title: 'Closed', path: `${galleryPath}?view=closed`, count: 0 },
  ])}
  ${filters({
    path: galleryPath,
    query: { text: 'order-1041', period: 'today', ...query },
    fields: [
      { name: 'text', label: 'Name, email or reference', type: 'search' },
      { name: 'state', label: 'State', options: states },
      { name: 'amount', label: 'Amount', inputMode: 'decimal', isRare: true },
      { name: 'merchant', label: 'Merchant', options: ['Ribeira Books', 'Hotel Mira'], isRare: true },
    ],
    period: { label: 'Created' },
  })}
  ${table('payments', {
    caption: 'Payments of the gallery',
    head: [
      { name: 'Payment', kind: 'short' },
      { name: 'Created', kind: 'short' },
      'State',
      { name: 'Merchant', kind: 'short' },
      'Amount',
      'Attempts',
      'Waiting',
      { name: 'Remark', kind: 'long' },
      actionsHeading,
    ],
    rows,
    empty: '',
    rest: { text: 'Only the newest 4 are shown.', path: galleryPath },
  })}
  ${table('compact', {
    caption: 'Payments, in low rows',
    isCompact: true,
    head: [
      { name: 'Amount', kind: 'number' },
      { name: 'Status', kind: 'long' },
      { name: 'Payer', kind: 'clip' },
      { name: 'Created', kind: 'short' },
      { name: 'Merchant', kind: 'clip', isMinor: true },
    ],
    rows: ['paid', 'failed'].map((state, row) => [
      money(`${row + 1}9.90`, 'EUR'),
      html`${badge(state)} <small>A reason that is longer than the space that its column has on this page</small>`,
      'Sofia Nunes',
      time(before(at, row * 47 * MINUTE)),
      'Ribeira Books',
    ]),
    empty: '',
  })}
  ${table('none', { caption: 'An empty list', head: ['Name'], rows: [], empty: 'No open alarms.' })}
  ${emptyState({
    title: 'No merchants yet',
    text: 'A merchant has keys, endpoints and a brand.',
    action: { label: 'New merchant', path: galleryPath },
  })}`;
}

function things(at: Date): SafeHtml {
  const minutes = Array.from({ length: 60 }, (_, minute) => before(at, (59 - minute) * MINUTE));
  const values = minutes.map((_, minute) => (minute * 7) % 23);
  return html`${sectionHead('One thing')}
    ${stats([
      { label: 'Volume today', value: '€12,480.50', note: '+12 % against last Friday', path: galleryPath },
      { label: 'Success rate', value: '94.1 %', note: '–2.3 points', look: 'bad' },
      { label: 'Refunds', value: 7 },
      { label: 'Open alarms', value: 0, look: 'good' },
    ])}
    <dl class="facts">${fact('Merchant reference', 'order-1041')} ${fact('Refundable', money('46.5', 'EUR'))}</dl>
    ${sectionHead('Timeline')}
    ${timeline([
      { at: before(at, HOUR), title: 'Created', text: 'By the API, with the key key_1' },
      { at: before(at, HOUR - 200), title: 'Submitted to the provider', text: 'Card …1111', look: 'warn' },
      { at: before(at, HOUR - 900), title: 'Paid', look: 'good' },
      { at: before(at, MINUTE), title: 'Charged back', text: 'Answer it by 4 December.', look: 'bad' },
    ])}
    <div class="tiles more">
      <div class="tile">
        <h3>Submissions</h3>
        ${chart({ label: 'Submissions', at: minutes, series: [{ name: 'all', values }], textOf: String, isBars: true })}
      </div>
    </div>
    ${fold('Show the request', html`<pre>${JSON.stringify({ amount: 59, unit: 'EUR' }, null, 2)}</pre>`)}
    ${fold('Open', html`<p>Folded content that is open.</p>`, true)}`;
}

function forms(session: FormSession): SafeHtml {
  const fields = html`${textField({
    name: 'amount',
    label: 'Amount',
    value: '59.00',
    inputMode: 'decimal',
    hint: 'at most €59.00',
    isRequired: true,
  })}
  ${choice('charge', 'Charge', ['GW-1-1', 'GW-1-2'], 'GW-1-1', { any: false })}
  ${textField({ name: 'secret', label: 'Secret', type: 'password', hint: 'Never filled by us.' })}
  ${textField({ name: 'reason', label: 'Reason (optional, recorded in the audit log)' })}`;
  const refund = { action: `${galleryPath}/refund`, label: 'Refund', fields, isDangerous: true };
  const values = { amount: '999', charge: 'GW-1-2', reason: 'ordered twice' };
  const wrong = { field: 'amount', value: '999', message: 'must be at most 59.00' };
  const refused = { action: refund.action, values, message: 'only €46.50 can be refunded', errors: [] };
  return html`${sectionHead('Forms')}
    <div class="panel">${postForm(session, refund)}</div>
    <div class="panel">${postForm({ ...session, refused: { ...refused, errors: [wrong] } }, refund)}</div>
    <div class="panel">${postForm({ ...session, refused }, refund)}</div>
    <div class="panel">
      ${postForm(session, {
        action: `${galleryPath}/save`,
        label: 'Save',
        isMain: true,
        fields: html`${textArea({ name: 'note', label: 'Note', placeholder: 'What you found' })}
        ${checkBoxes('Scopes', [
          { name: 'read', label: 'Read', isChecked: true },
          { name: 'write', label: 'Write' },
        ])}
        ${checkBox('noLogo', 'Remove the logo')}`,
      })}
    </div>
    ${sectionHead('Forms in the head of a page', actionMenu('Refund…', postForm(session, refund)))}
    ${sectionHead('Confirmation')}
    ${confirmForm({
      action: `${galleryPath}/refund`,
      asked: { title: 'Refund €59.00?', text: 'This refunds €59.00 of payment 10042 to the payer.', label: 'Refund' },
      back: galleryPath,
      values,
    })}
    ${sectionHead('Shown once')}
    ${oneTimeSecret([['Key (shown only once)', 'an-example-of-a-key-0123456789']], galleryPath)}`;
}
