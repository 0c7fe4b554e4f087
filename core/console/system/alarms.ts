/** The list of alarms: what needs attention, the most urgent first. */
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  acknowledgedBy,
  adapterOf,
  alarmKinds,
  byUrgency,
  meaningOf,
  orderedAtMost,
  ownerIdOf,
  presentAlarm,
  severities,
  subjectText,
  type AlarmQuery,
  type Severity,
} from '../../engine/alarms/index.ts';
import type { Alarm, AlarmKind, AlarmState } from '../../database/collections/alarm.ts';
import type { ConsoleDeps } from '../deps.ts';
import { optionalReason } from '../kit/buttons.ts';
import { isAllowed } from '../kit/action-form.ts';
import { providerText } from '../payments/payment-cells.ts';
import type { ShowTable } from '../kit/listing.ts';
import {
  addressWith,
  badge,
  emptyState,
  filters,
  hidden,
  money,
  pageField,
  searchOf,
  selectHeading,
  tabs,
  textField,
  time,
  type Cell,
  type Column,
  type Look,
  type Table,
} from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import type { Session } from '../sign-in/session.ts';

const path = '/ops/alarms';
const states = ['open', 'acknowledged', 'resolved'] as const satisfies readonly AlarmState[];
const kinds = Object.keys(alarmKinds) as AlarmKind[];
const formId = 'selected-alarms';
/** The columns of an alarm in every list. */
export const alarmHead: readonly (string | Column)[] = [
  { name: 'Severity', kind: 'short' },
  { name: 'Problem', kind: 'long' },
  'Subject',
  { name: 'Amount', kind: 'number' },
  { name: 'Last raised', kind: 'short' },
  { name: 'First raised', kind: 'short' },
  'Count',
  'State',
];

export interface AlarmFilter {
  readonly state: AlarmState | undefined;
  readonly severity: Severity | undefined;
  readonly kind: AlarmKind | undefined;
}

/** An unknown value is no filter. */
export function readAlarmFilter(query: Query): AlarmFilter {
  return {
    state: states.find((one) => one === query['state']),
    severity: severities.find((one) => one === query['severity']),
    kind: kinds.find((one) => one === query['kind']),
  };
}

export function toAlarmQuery({ state, severity, kind }: AlarmFilter): Omit<AlarmQuery, 'limit'> {
  return { ...(state && { states: [state] }), ...(severity && { severity }), ...(kind && { kinds: [kind] }) };
}

export async function alarmsPage(
  deps: ConsoleDeps,
  session: Session,
  { query, table }: { readonly query: Query; readonly table: ShowTable },
): Promise<SafeHtml> {
  const filter = readAlarmFilter(query);
  const found = await deps.alarms.find({ ...toAlarmQuery(filter), limit: orderedAtMost });
  const shown = filter.state === 'resolved' ? found.toSorted(byLatest) : found;
  const canAcknowledge = isAllowed(session.operator.role, 'support') && shown.some(({ state }) => state === 'open');
  const isFiltered = (filter.severity ?? filter.kind ?? filter.state) !== undefined;
  const empty = isFiltered ? noMatch : noAlarms(session.counts?.['now'] ?? 0);
  return html`${stateTabs(query, filter)} ${filterForm(query)}
  ${table('alarms', await alarmTable(deps, shown, { filter, canAcknowledge, empty }))}
  ${canAcknowledge ? bulkForm(session, filter) : null}`;
}

const noMatch = emptyState({ title: 'No alarms match.', action: { label: 'Show all unresolved alarms', path } });

/** The Overview also names what raises no alarm. `waiting`: how many things it names. */
function noAlarms(waiting: number): SafeHtml {
  const title = 'No unresolved alarms.';
  if (waiting === 0) return emptyState({ title, text: 'The gateway raises an alarm when something goes wrong.' });
  const text =
    `${waiting === 1 ? '1 other thing needs' : `${waiting} other things need`} you. ` +
    'Disputes and payments without a route, for example, raise no alarm.';
  return emptyState({ title, text, action: { label: 'Show them in the Overview', path: '/ops' } });
}

function byLatest(one: Alarm, other: Alarm): number {
  return other.lastSeenAt.getTime() - one.lastSeenAt.getTime() || byUrgency(one, other);
}

function captionOf({ state }: AlarmFilter): string {
  if (state === 'resolved') return 'Resolved alarms, the latest first';
  return `${state === undefined ? 'Unresolved' : state === 'open' ? 'Open' : 'Acknowledged'} alarms, the most urgent first`;
}

function stateTabs(query: Query, { state }: AlarmFilter): SafeHtml {
  const titles = { unresolved: 'Unresolved', open: 'Open', acknowledged: 'Acknowledged', resolved: 'Resolved' };
  return tabs(
    'Alarms by state',
    Object.entries(titles).map(([name, title]) => ({
      title,
      path: addressWith(path, { ...searchOf(query), state: name === 'unresolved' ? undefined : name }),
      isCurrent: (state ?? 'unresolved') === name,
    })),
  );
}

function filterForm(query: Query): SafeHtml {
  return filters({
    path,
    query,
    kept: ['state'],
    label: 'Filter',
    fields: [
      { name: 'severity', label: 'Severity', options: severities },
      { name: 'kind', label: 'Problem', options: kinds, textOf: (one) => meaningOf(one).title },
    ],
  });
}

/** The checkboxes of the rows belong to this form. */
function bulkForm({ formToken, page }: Session, filter: AlarmFilter): SafeHtml {
  const { state, severity, kind } = filter;
  return html`<form id="${formId}" method="post" action="${path}/acknowledge" class="act">
    ${hidden({ formToken, [pageField]: page, state, severity, kind })}
    ${textField({ name: 'reason', label: optionalReason })}
    <button name="which" value="selected">Acknowledge selected</button>
    <button name="which" value="all">Acknowledge all open in this list</button>
  </form>`;
}

/** The ids that the form selects: those of the checked rows. */
export function selectedAlarms(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(values).flatMap((name) => (name.startsWith('alarm ') ? [name.slice('alarm '.length)] : []));
}

async function alarmTable(
  deps: Pick<ConsoleDeps, 'adapters' | 'owners'>,
  alarms: readonly Alarm[],
  {
    filter,
    canAcknowledge,
    empty,
  }: { readonly filter: AlarmFilter; readonly canAcknowledge: boolean; readonly empty: SafeHtml },
): Promise<Table> {
  const rows = await alarmRows(deps, alarms);
  const box = ({ _id, state, kind }: Alarm): Cell =>
    state === 'open'
      ? html`<input
          type="checkbox"
          name="alarm ${_id}"
          form="${formId}"
          aria-label="Select: ${meaningOf(kind).title}"
        />`
      : null;
  return {
    caption: captionOf(filter),
    head: canAcknowledge ? [selectHeading, ...alarmHead] : alarmHead,
    rows: canAcknowledge ? rows.map((row, at) => [box(alarms[at]!), ...row]) : rows,
    empty,
    ...(alarms.length === orderedAtMost && {
      rest: { text: `Only the ${orderedAtMost} alarms that were raised last are shown. Filter to see others.` },
    }),
  };
}

export async function alarmRows(
  deps: Pick<ConsoleDeps, 'adapters' | 'owners'>,
  alarms: readonly Alarm[],
): Promise<readonly (readonly Cell[])[]> {
  const merchants = await merchantsOf(deps, alarms);
  return alarms.map((alarm) => {
    const { id, firstSeenAt, lastSeenAt, count, reason, title, severity, money: stake } = presentAlarm(alarm);
    return [
      severityBadge(severity),
      html`<a href="${path}/${encodeURIComponent(id)}">${title}</a><br /><small>${reason}</small>`,
      aboutCell(deps, alarm, merchants.get(ownerIdOf(alarm) ?? NaN)),
      stake ? money(stake.amount, stake.currency) : '–',
      time(lastSeenAt),
      time(firstSeenAt),
      count,
      stateCell(alarm),
    ];
  });
}

const severityLooks = { critical: 'bad', warning: 'warn', info: 'calm' } as const satisfies Record<Severity, Look>;

export function severityBadge(severity: Severity): SafeHtml {
  return badge(severity, severityLooks[severity]);
}

/** Names the subject, and a provider as every page does. */
export function subjectOf(
  deps: Pick<ConsoleDeps, 'adapters'>,
  { subject }: Pick<Alarm, 'subject'>,
  merchant: string | undefined,
): string {
  const text = subjectText(subject, merchant);
  if (subject.type !== 'adapter') return text;
  const name = adapterOf(subject);
  return `${providerText(deps, name)}${text.slice(name.length)}`;
}

function aboutCell(deps: Pick<ConsoleDeps, 'adapters'>, alarm: Alarm, merchant: string | undefined): Cell {
  const { subject, environment } = alarm;
  const text = subjectOf(deps, alarm, merchant);
  const notes = [subject.type === 'owner' ? undefined : merchant, environment === 'test' ? 'test' : undefined];
  const note = notes.filter((one) => one !== undefined).join(', ');
  return note === '' ? text : html`${text}<br /><small>${note}</small>`;
}

function stateCell(alarm: Alarm): SafeHtml {
  const by = operatorName(acknowledgedBy(alarm)?.by);
  return html`${badge(alarm.state)} ${by === undefined ? null : html`<small>by ${by}</small>`}`;
}

/** Without the key that follows the name in brackets. */
export function operatorName(by: string | undefined): string | undefined {
  return by === undefined || by === '' ? undefined : by.replace(/ \([^()]*\)$/, '');
}

/** The names of the merchants of alarms, by id. */
export async function merchantsOf(
  { owners }: Pick<ConsoleDeps, 'owners'>,
  alarms: readonly Alarm[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(alarms.flatMap((alarm) => ownerIdOf(alarm) ?? []))];
  const found = await Promise.all(
    ids.map(async (id) => [id, (await owners.get(id))?.name ?? `merchant ${id}`] as const),
  );
  return new Map(found);
}
