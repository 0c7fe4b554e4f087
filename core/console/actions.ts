/**
 * The actions of operators in the console. Each action checks the operator's role. A dangerous action asks for
 * confirmation. Every action is recorded in the audit log.
 */
import { requireReason, reasonOf, type ConsoleAction } from './kit/action.ts';
import { buttons } from './kit/buttons.ts';
import { readAlarmFilter, selectedAlarms, toAlarmQuery } from './system/alarms.ts';
import { invalidField } from '../base/errors.ts';
import { accountActions } from './providers/account-actions.ts';
import { adapterActions } from './providers/adapter-actions.ts';
import { endpointActions } from './merchants/endpoint-actions.ts';
import { keyActions } from './merchants/key-actions.ts';
import { merchantActions } from './merchants/merchant-actions.ts';
import { notificationActions } from './messages/notification-actions.ts';
import { savedFilterActions } from './payments/saved-filters.ts';
import { paymentActions } from './payments/payment-actions.ts';
import { settlementActions } from './system/settlement-actions.ts';

/** Each one is an entry of the audit log. */
const acknowledgedAtOnce = 500;

export const consoleActions: readonly ConsoleAction[] = [
  ...adapterActions,
  ...accountActions,
  ...paymentActions,
  ...savedFilterActions,
  ...notificationActions,
  ...endpointActions,
  ...keyActions,
  ...merchantActions,
  ...settlementActions,
  {
    path: '/ops/callbacks/:id/requeue',
    section: 'callbacks',
    role: 'support',
    label: buttons.requeue,
    done: 'Callback queued: it is processed again now.',
    run: async ({ deadLetters }, by, id, values) => deadLetters.requeue(by, id, reasonOf(values)),
    back: (_, id) => `/ops/callbacks/${encodeURIComponent(id)}`,
  },
  {
    path: '/ops/callbacks/:id/discard',
    section: 'callbacks',
    role: 'admin',
    label: buttons.discard,
    done: 'Callback discarded.',
    effect: async (_, id) => ({
      title: 'Discard this callback?',
      text: `This discards callback ${id}. What the provider reported in it will never be processed.`,
      label: buttons.discard,
    }),
    run: async ({ deadLetters }, by, id, values) => {
      await deadLetters.discard(by, id, requireReason(values));
    },
    back: () => '/ops/callbacks',
  },
  {
    path: '/ops/jobs/:id/run',
    section: 'jobs',
    role: 'support',
    label: 'Run now',
    done: 'Job started.',
    run: async ({ jobs }, by, id) => jobs.run(by, id),
    back: () => '/ops/jobs',
  },
  ...(['acknowledge', 'resolve'] as const).map((name): ConsoleAction => ({
    path: `/ops/alarms/:id/${name}`,
    section: 'alarms',
    role: 'support',
    label: name === 'acknowledge' ? 'Acknowledge' : 'Resolve',
    done: name === 'acknowledge' ? 'Alarm acknowledged.' : 'Alarm resolved.',
    run: async ({ alarmActions }, by, id, values) => void (await alarmActions[name](by, id, reasonOf(values))),
    back: (_, id) => `/ops/alarms/${encodeURIComponent(id)}`,
  })),
  {
    path: '/ops/alarms/acknowledge',
    section: 'alarms',
    role: 'support',
    label: 'Acknowledge',
    run: async ({ alarms, alarmActions }, by, _, values) => {
      const { which = '' } = values;
      const all = { ...toAlarmQuery(readAlarmFilter(values)), states: ['open'], limit: acknowledgedAtOnce } as const;
      const ids = which === 'all' ? (await alarms.find(all)).map((alarm) => alarm._id) : selectedAlarms(values);
      if (ids.length === 0) throw invalidField('alarm', '', 'select at least one open alarm');
      for (const id of ids) await alarmActions.acknowledge(by, id, reasonOf(values));
      return { done: ids.length === 1 ? 'Alarm acknowledged.' : `${ids.length} alarms acknowledged.` };
    },
    back: () => '/ops/alarms',
  },
];
