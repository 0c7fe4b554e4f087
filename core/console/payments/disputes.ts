/** The disputes of all payments. Open disputes are sorted by the time until which they must be answered. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { DAY } from '../../base/async/time.ts';
import { matchOwners } from '../../engine/access/index.ts';
import type { DisputeStage } from '../../database/collections/dispute.ts';
import { addDecimals } from '@paywright/contract';
import { groupBy } from '../../base/group-by.ts';
import type { ListedDispute } from '../../engine/payments/index.ts';
import {
  addressWith,
  badge,
  copyable,
  emptyState,
  filters,
  maskedText,
  money,
  note,
  stats,
  tabs,
  time,
} from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { modeOf, modeSwitch } from '../kit/mode.ts';
import type { Session } from '../sign-in/session.ts';
import { providerLink, providerText } from './payment-cells.ts';
import { paymentLink } from './payment-link.ts';
import { merchantProblem } from './payments.ts';

const perPage = 50;
const path = '/ops/disputes';
const stages = { open: 'opened', won: 'won', lost: 'lost', reversed: 'reversed', all: undefined } as const;
type StageName = keyof typeof stages;
/** A deadline is near from then on. */
const nearMs = 3 * DAY;

export async function disputesPage(
  deps: ConsoleDeps,
  session: Session,
  { query, rows }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { owner, cursor } = query;
  const chosen = (Object.keys(stages) as StageName[]).find((one) => one === query['stage']) ?? 'open';
  const owners = await deps.owners.list();
  const [merchant, ...others] = owner === undefined ? [] : matchOwners(owners, owner);
  const isWrong = owner !== undefined && (!merchant || others.length > 0);
  const mode = modeOf(query, session);
  const environment = mode === 'all' ? undefined : mode;
  const { items, nextCursor, isComplete } = isWrong
    ? { items: [], nextCursor: null, isComplete: true }
    : await deps.listDisputes({
        stage: stages[chosen],
        ownerId: merchant?.id,
        environment,
        cursor,
        limit: rows ?? perPage,
      });
  const names = new Map(owners.map(({ id, name }) => [id, name] as const));
  // An export has the same columns on every page.
  const hasReasons = rows !== undefined || items.some(({ reason }) => reason !== null);
  return {
    mode: environment,
    primary: modeSwitch(path, query, mode),
    order: chosen === 'open' ? 'soonest' : 'newest',
    before: html`${tabs(
      'Disputes by stage',
      (Object.keys(stages) as StageName[]).map((name) => ({
        title: name[0]!.toUpperCase() + name.slice(1),
        path: addressWith(path, { owner, mode: query['mode'], stage: name === 'open' ? undefined : name }),
        isCurrent: name === chosen,
      })),
    )}
    ${filters({
      path,
      query,
      kept: ['stage', 'mode'],
      fields: [{ name: 'owner', label: 'Merchant', suggestions: owners.slice(0, 200).map(({ name }) => name) }],
    })}
    ${isWrong ? note('bad', merchantProblem(query, owners, owner, path)) : null}
    ${chosen === 'open' && items.length > 0 ? html`${stake(items, isComplete)} ${howToAnswer}` : null}`,
    table: {
      caption: chosen === 'open' ? 'Open disputes, soonest deadline first' : 'Disputes, newest payment first',
      head: [
        { name: 'Answer by', kind: 'short' },
        { name: 'Opened', kind: 'short' },
        'State',
        { name: 'Amount', kind: 'number' },
        ...(hasReasons ? [{ name: 'Reason', kind: 'long' } as const] : []),
        'Payment',
        'Merchant',
        { name: chosen === 'open' ? 'Answer at' : 'Provider', kind: 'short' },
      ],
      rows: items.map((one) => [
        one.stage === 'opened' ? deadlineCell(one.deadline, deps.now(), providerText(deps, one.adapter)) : '–',
        time(one.openedAt),
        stageBadge(one.stage),
        money(one.amount, one.currency),
        ...(hasReasons ? [maskedText(one.reason)] : []),
        paymentLink(one.paymentId),
        html`<a href="/ops/merchants/${one.ownerId}">${names.get(one.ownerId) ?? `merchant ${one.ownerId}`}</a>`,
        caseCell(deps, one),
      ]),
      empty: emptyState({
        title: chosen === 'open' ? 'No open disputes' : 'No disputes',
        text: 'A dispute appears here when a provider reports that a payer’s bank asks for the money back.',
      }),
      ...(!isComplete && { rest: { text: 'There are more open disputes: choose a merchant.' } }),
    },
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

/** The money that the open disputes hold or ask for, in each currency. */
function stake(items: readonly ListedDispute[], isComplete: boolean): SafeHtml {
  const sums = [...groupBy(items, ({ currency, environment }) => `${currency} ${environment}`).values()];
  return stats(
    sums.map((all) => {
      const [{ currency, environment } = items[0]!] = all;
      const count = `${all.length} ${all.length === 1 ? 'dispute' : 'disputes'}`;
      return {
        label: environment === 'test' ? 'At stake, test' : 'At stake',
        value: money(addDecimals('0', ...all.map(({ amount }) => amount)), currency),
        note: isComplete ? count : `in the first ${count}`,
      };
    }),
  );
}

const howToAnswer = html`<p class="prose">
  Answer each dispute in the dashboard of its provider, under the case number. The provider reports the result, and it
  appears here.
</p>`;

/** The provider, and the number by which its dashboard finds the case: without one, its reference of the payment. */
function caseCell(deps: Pick<ConsoleDeps, 'adapters'>, one: ListedDispute): SafeHtml {
  const number = one.case ?? one.providerReference;
  return html`${providerLink(deps, one.adapter)}
    <small>${number === null ? 'without a case number' : copyable(maskedText(number))}</small>`;
}

export function stageBadge(stage: DisputeStage): SafeHtml {
  const looks = { opened: 'bad', lost: 'bad', won: 'good', reversed: 'calm' } as const;
  return badge(stage === 'opened' ? 'open' : stage, looks[stage]);
}

/** When a dispute must be answered; a near or missed deadline is marked. */
export function deadlineCell(deadline: Date | null, now: Date, provider: string): SafeHtml | string {
  if (deadline === null) return html`not reported <small>ask ${provider}, usually 7 to 21 days</small>`;
  const left = deadline.getTime() - now.getTime();
  if (left < 0) return html`${time(deadline)} ${badge('missed', 'bad')}`;
  return left < nearMs ? html`${time(deadline)} ${badge('soon', 'warn')}` : html`${time(deadline)}`;
}
