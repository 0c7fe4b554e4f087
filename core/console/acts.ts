/** What operators do in the console: each asks who it is, what is dangerous asks twice, and all of it is in the audit. */
import { toEnvironment, type BrandChanges } from '../engine/access/index.ts';
import { demandReason, reasonOf, type ConsoleAct } from './act.ts';
import { adapterActs } from './adapter-acts.ts';
import type { ConsoleDeps } from './deps.ts';
import { endpointActs } from './endpoint-acts.ts';
import { environmentOf, keyActs } from './key-acts.ts';
import { brandTexts, merchantName, toMerchant } from './merchants.ts';
import { notificationActs } from './notification-acts.ts';
import { paymentActs } from './payment-acts.ts';
import type { Typed } from './typed.ts';

export const consoleActs: readonly ConsoleAct[] = [
  ...adapterActs,
  ...paymentActs,
  ...notificationActs,
  ...endpointActs,
  ...keyActs,
  {
    path: '/ops/callbacks/:id/requeue',
    section: 'callbacks',
    role: 'support',
    run: async ({ letters }, by, id, typed) => letters.requeue(by, id, reasonOf(typed)),
    back: (_, id) => `/ops/callbacks/${encodeURIComponent(id)}`,
  },
  {
    path: '/ops/callbacks/:id/discard',
    section: 'callbacks',
    role: 'admin',
    effect: async (_, id) => `This gives up callback ${id}: what the provider reported there is never applied.`,
    run: async ({ letters }, by, id, typed) => {
      await letters.discard(by, id, demandReason(typed));
    },
    back: () => '/ops/callbacks',
  },
  {
    path: '/ops/jobs/:id/run',
    section: 'jobs',
    role: 'support',
    run: async ({ jobs }, by, id) => jobs.run(by, id),
    back: () => '/ops/jobs',
  },
  ...(['acknowledge', 'resolve'] as const).map((name): ConsoleAct => ({
    path: `/ops/alarms/:id/${name}`,
    section: 'alarms',
    role: 'support',
    run: async ({ alarmActs }, by, id, typed) => void (await alarmActs[name](by, id, reasonOf(typed))),
    back: () => '/ops/alarms',
  })),
  {
    path: '/ops/merchants/:id/brand',
    section: 'merchants',
    role: 'admin',
    upload: 'logo',
    run: async (deps, by, id, typed, { file }) => {
      await deps.access.setOwner(by, await merchantName(deps, id), brandOf(typed, file));
    },
    back: toMerchant,
  },
  {
    path: '/ops/merchants/:id/secret',
    section: 'merchants',
    role: 'admin',
    effect: async (deps, id, typed) =>
      `This gives ${await merchantName(deps, id)} a new webhook secret for ${environmentOf(typed)}: for 24 hours ` +
      'notifications are signed with both, then with the new one alone.',
    run: async (deps, by, id, typed) => {
      const owner = await merchantName(deps, id);
      const environment = toEnvironment(environmentOf(typed));
      const { webhookSecret, previousValidUntil } = await deps.access.rotateSecret(by, owner, environment);
      const end = previousValidUntil.toISOString();
      return {
        title: `New webhook secret of ${owner}`,
        lines: [
          ['Secret, shown only now', webhookSecret],
          ['The old one signs too until', end],
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
    run: async ({ portalActs }, by, id) => portalActs.revoke(by, id),
    back: async ({ portalLinks }, id) => `/ops/merchants/${(await portalLinks.get(id)).ownerId}`,
  },
];

/** An operator who may not rotate a webhook secret makes no link that does. */
function portalLink(allowsRotation: boolean): ConsoleAct {
  return {
    path: `/ops/merchants/:id/${allowsRotation ? 'rotating-portal' : 'portal'}`,
    section: 'merchants',
    role: allowsRotation ? 'admin' : 'support',
    ...(allowsRotation && {
      effect: async (deps: ConsoleDeps, id: string, typed: Typed) =>
        `This makes a link by which whoever has it may replace the webhook secret of ${await merchantName(deps, id)} ` +
        `for ${environmentOf(typed)} within one hour.`,
    }),
    run: async (deps, by, id, typed) => {
      const owner = { id: Number(id), name: await merchantName(deps, id) };
      const environment = toEnvironment(environmentOf(typed));
      const link = await deps.portalActs.create(by, { owner, environment, allowsRotation });
      return {
        title: `Portal of ${owner.name}, ${environment} mode`,
        lines: [
          ['Link, shown only now', link.url],
          ['It ends at', link.expiresAt.toISOString()],
        ],
      };
    },
    back: toMerchant,
  };
}

/** A field that was left empty takes its member away; one that the form has not stays as it is. */
function brandOf(typed: Typed, logo: Uint8Array | undefined): BrandChanges {
  const texts = brandTexts.map(({ name }) => [name, typed[name] === '' ? null : typed[name]] as const);
  return { ...Object.fromEntries(texts), logo: logo ?? (typed['noLogo'] === 'yes' ? null : undefined) };
}
