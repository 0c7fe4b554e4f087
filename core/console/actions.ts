/**
 * The actions of operators in the console. Each action checks the operator's role. A dangerous action asks for
 * confirmation. Every action is recorded in the audit log.
 */
import { toEnvironment, type BrandChanges } from '../engine/access/index.ts';
import { requireReason, reasonOf, type ConsoleAction } from './kit/action.ts';
import { buttons } from './kit/buttons.ts';
import { readAlarmFilter, selectedAlarms, toAlarmQuery } from './system/alarms.ts';
import { invalidField } from '../base/errors.ts';
import { adapterActions } from './providers/adapter-actions.ts';
import type { ConsoleDeps } from './deps.ts';
import { endpointActions } from './merchants/endpoint-actions.ts';
import { environmentOf, keyActions } from './merchants/key-actions.ts';
import { brandTexts, merchantName, toMerchant } from './merchants/merchants.ts';
import { notificationActions } from './messages/notification-actions.ts';
import { savedFilterActions } from './payments/saved-filters.ts';
import { paymentActions } from './payments/payment-actions.ts';
import type { FormValues } from './kit/form-values.ts';

/** Each one is an entry of the audit log. */
const acknowledgedAtOnce = 500;

export const consoleActions: readonly ConsoleAction[] = [
  ...adapterActions,
  ...paymentActions,
  ...savedFilterActions,
  ...notificationActions,
  ...endpointActions,
  ...keyActions,
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
  {
    path: '/ops/merchants/:id/brand',
    section: 'merchants',
    role: 'admin',
    upload: 'logo',
    label: 'Save branding',
    done: 'Branding saved.',
    run: async (deps, by, id, values, { file }) => {
      await deps.merchants.change(by, await merchantName(deps, id), brandOf(values, file));
    },
    back: toMerchant,
  },
  {
    path: '/ops/merchants/:id/secret',
    section: 'merchants',
    role: 'admin',
    label: 'Rotating',
    effect: async (deps, id, values) => ({
      title: `Rotate the webhook secret for ${environmentOf(values)}?`,
      text:
        `This creates a new webhook secret of ${await merchantName(deps, id)} for ${environmentOf(values)}. ` +
        'For 24 hours, notifications are signed with both secrets, then only with the new one.',
      label: 'Rotate secret',
    }),
    run: async (deps, by, id, values) => {
      const owner = await merchantName(deps, id);
      const environment = toEnvironment(environmentOf(values));
      const { webhookSecret, previousValidUntil } = await deps.merchants.rotateSecret(by, owner, environment);
      const end = previousValidUntil.toISOString();
      return {
        title: `New webhook secret of ${owner}`,
        lines: [
          ['Secret (shown only once)', webhookSecret],
          ['Previous secret valid until', end],
        ],
      };
    },
    back: toMerchant,
  },
  ...([false, true] as const).map(portalLink),
  {
    path: '/ops/portal-links/:id/revoke',
    section: 'merchants',
    role: 'support',
    label: 'Revoking',
    done: 'Link revoked.',
    run: async ({ merchants }, by, id) => merchants.portal.revoke(by, id),
    back: async ({ merchants }, id) => `/ops/merchants/${(await merchants.portal.get(id)).ownerId}`,
  },
];

/** Only a role that may rotate a webhook secret may create a link that allows it. */
function portalLink(allowsRotation: boolean): ConsoleAction {
  return {
    path: `/ops/merchants/:id/${allowsRotation ? 'rotating-portal' : 'portal'}`,
    section: 'merchants',
    role: allowsRotation ? 'admin' : 'support',
    label: 'Creating a link',
    ...(allowsRotation && {
      effect: async (deps: ConsoleDeps, id: string, values: FormValues) => ({
        title: 'Create a link with secret rotation?',
        text:
          'This creates a link that is valid for one hour. Anyone who has it can replace the webhook secret of ' +
          `${await merchantName(deps, id)} for ${environmentOf(values)}.`,
        label: 'Create link',
      }),
    }),
    run: async (deps, by, id, values) => {
      const owner = { id: Number(id), name: await merchantName(deps, id) };
      const environment = toEnvironment(environmentOf(values));
      const link = await deps.merchants.portal.create(by, { owner, environment, allowsRotation });
      return {
        title: `Portal of ${owner.name}, ${environment} mode`,
        lines: [
          ['Link (shown only once)', link.url],
          ['Valid until', link.expiresAt.toISOString()],
        ],
      };
    },
    back: toMerchant,
  };
}

/** An empty field removes its member. A field that is not in the form leaves its member unchanged. */
function brandOf(values: FormValues, logo: Uint8Array | undefined): BrandChanges {
  const texts = brandTexts.map(({ name }) => [name, values[name] === '' ? null : values[name]] as const);
  return { ...Object.fromEntries(texts), logo: logo ?? (values['noLogo'] === 'yes' ? null : undefined) };
}
