/** Actions of operators on notifications. */
import { invalidField } from '../../base/errors.ts';
import { resendCountText, type ResendFilter } from '../../engine/notifications/index.ts';
import { deliveryStateText, eventWords, retrying } from '../../html/components/delivery.ts';
import { buttons } from '../kit/buttons.ts';
import type { ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import { readFilter } from './notifications.ts';
import type { FormValues } from '../kit/form-values.ts';

const path = '/ops/notifications';

export const notificationActions: readonly ConsoleAction[] = [
  {
    path: `${path}/:id/resend`,
    section: 'notifications',
    role: 'support',
    label: buttons.resend,
    done: 'Notification queued: it is sent again now.',
    run: async ({ notifications }, by, id) => notifications.resend(by, id),
    // The form names the page of its button. Only the page of a payment or of a notification is accepted.
    back: (_deps, _id, { back = '' }) => (isKnownPage(back) ? back : path),
  },
  {
    path: `${path}/resend`,
    section: 'notifications',
    role: 'admin',
    label: 'Resending',
    effect: async (deps, _, values) => {
      const filter = await filterOf(deps, values);
      const count = await deps.notifications.count(filter);
      const all = `${resendCountText(count)} notifications`;
      return {
        title: `Resend ${all}?`,
        text: `This resends ${all} in the state “${deliveryStateText(filter.isFailing ? retrying : filter.state)}”: ${whichText(filter, values)}.`,
        label: 'Resend all',
      };
    },
    run: async (deps, by, _, values) => {
      const id = await deps.resends.start(by, await filterOf(deps, values));
      return { leadsTo: `${path}/resends/${id}` };
    },
    back: () => path,
  },
];

function isKnownPage(back: string): boolean {
  return /^\/ops\/(payments\/\d{1,15}|notifications\/[\w.%-]{1,100})$/.test(back);
}

/** Describes the filter: the merchant, the type and the time. */
function whichText({ type, environment, host, from, to }: ResendFilter, { owner = '' }: FormValues): string {
  const since = from && `created from ${from.toISOString()}`;
  const until = to && `created before ${to.toISOString()}`;
  const span = [since, until].filter((part) => part !== undefined).join(' and ') || 'created at any time';
  return [
    owner === '' ? 'of all merchants' : `of ${owner}`,
    ...(host === undefined ? [] : [`to ${host}`]),
    ...(environment ? [`of ${environment} mode`] : []),
    type ? `about “${eventWords(type)}”` : 'about every event',
    span,
  ].join(', ');
}

/** Throws VAL002 if the filter names no state, or if it is not valid. */
async function filterOf(deps: ConsoleDeps, values: FormValues): Promise<ResendFilter> {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const read = await readFilter(deps, given);
  if ('problem' in read) throw invalidField('filter', '', read.problem);
  const { state } = read.filter;
  if (!state) throw invalidField('state', values['state'], 'must be a state of notifications');
  return { ...read.filter, state };
}
