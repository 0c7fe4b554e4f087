/** What operators do to notifications. */
import { invalidField } from '../../base/errors.ts';
import { resendCountText, type ResendFilter } from '../../engine/notifications/index.ts';
import type { ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import { readSpan } from './notifications.ts';
import type { FormValues } from '../kit/form-values.ts';

const path = '/ops/notifications';

export const notificationActions: readonly ConsoleAction[] = [
  {
    path: `${path}/:id/resend`,
    section: 'notifications',
    role: 'support',
    run: async ({ notifications }, by, id) => notifications.resend(by, id),
    // Only to a payment of ours: the form says where it was pressed.
    back: (_deps, _id, { back = '' }) => (/^\/ops\/payments\/\d{1,15}$/.test(back) ? back : path),
  },
  {
    path: `${path}/resend`,
    section: 'notifications',
    role: 'admin',
    effect: async (deps, _, values) => {
      const filter = await filterOf(deps, values);
      const count = await deps.notifications.count(filter);
      return (
        `This sends ${resendCountText(count)} notifications that are ${filter.state} again, from now on: ` +
        `${whichText(filter, values)}.`
      );
    },
    run: async (deps, by, _, values) => {
      const id = await deps.resends.start(by, await filterOf(deps, values));
      return { leadsTo: `${path}/resends/${id}` };
    },
    back: () => path,
  },
];

/** Whose, of what kind and of when. */
function whichText({ type, from, to }: ResendFilter, { owner = '' }: FormValues): string {
  const since = from && `made from ${from.toISOString()}`;
  const until = to && `made before ${to.toISOString()}`;
  const span = [since, until].filter((part) => part !== undefined).join(' and ') || 'whenever made';
  return [owner === '' ? 'of all merchants' : `of ${owner}`, type ? `of type ${type}` : 'of every type', span].join(
    ', ',
  );
}

/** Throws VAL002 where it names no state, and where it is unclear. */
async function filterOf(deps: ConsoleDeps, values: FormValues): Promise<ResendFilter> {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const read = await readSpan(deps, given);
  if ('problem' in read) throw invalidField('filter', '', read.problem);
  const { state } = read.filter;
  if (!state) throw invalidField('state', values['state'], 'must be a state of notifications');
  return { ...read.filter, state };
}
