/** Actions of operators on a merchant: its settings, brand, webhook secret and portal links. */
import { toEnvironment, type BrandChanges } from '../../engine/access/index.ts';
import type { ConsoleAction } from '../kit/action.ts';
import type { FormValues } from '../kit/form-values.ts';
import { brandTexts } from './brand-section.ts';
import { overlapOf, overlapText } from './key-actions.ts';
import { environmentOf, merchantName, merchantPath, merchantsPath, readOwner } from './merchants.ts';
import { newMerchantAction } from './new-merchant.ts';
import { settingsOf, typesOf } from './settings-form.ts';

export const merchantActions: readonly ConsoleAction[] = [
  newMerchantAction,
  {
    path: '/ops/merchants/:id/settings',
    section: 'merchants',
    role: 'admin',
    label: 'Save settings',
    run: async (deps, by, id, values) => {
      const settings = { ...settingsOf(values), notificationTypes: typesOf(values) };
      const { warnings } = await deps.merchants.change(by, await merchantName(deps, id), settings);
      return { done: ['Settings saved.', ...warnings].join(' ') };
    },
    back: (_, id) => merchantPath(id),
  },
  {
    path: '/ops/merchants/:id/remove',
    section: 'merchants',
    role: 'admin',
    label: 'Remove merchant',
    effect: async (deps, id) => {
      const name = await merchantName(deps, id);
      return {
        title: `Remove the merchant ${name}?`,
        text: 'Its API keys and portal links are revoked. A new key for its name restores it.',
        label: 'Remove merchant',
      };
    },
    run: async (deps, by, id) => {
      const name = await merchantName(deps, id);
      await deps.merchants.remove(by, name);
      return { done: `Merchant ${name} removed.` };
    },
    back: () => merchantsPath,
  },
  {
    path: '/ops/merchants/:id/brand',
    section: 'merchants',
    role: 'admin',
    upload: 'logo',
    label: 'Save branding',
    done: 'Branding saved. Payers see it within a minute.',
    run: async (deps, by, id, values, { file }) => {
      await deps.merchants.change(by, await merchantName(deps, id), brandOf(values, file));
    },
    back: (_, id) => merchantPath(id, 'branding'),
  },
  {
    path: '/ops/merchants/:id/secret',
    section: 'merchants',
    role: 'admin',
    label: 'Rotate the webhook secret',
    effect: async (deps, id, values) => {
      const mode = toEnvironment(environmentOf(values));
      return {
        title: `Rotate the ${mode} webhook secret of ${await merchantName(deps, id)}?`,
        text: overlapText(values, 'secret'),
        label: 'Rotate secret',
      };
    },
    run: async (deps, by, id, values) => {
      const owner = await merchantName(deps, id);
      const mode = toEnvironment(environmentOf(values));
      const made = await deps.merchants.rotateSecret(by, owner, mode, overlapOf(values));
      return {
        title: `New ${mode} webhook secret of ${owner}`,
        lines: [
          ['Secret (shown only once)', made.webhookSecret],
          ['Previous secret valid until', made.previousValidUntil.toISOString()],
        ],
      };
    },
    back: (_, id) => merchantPath(id, 'webhooks'),
  },
  {
    path: '/ops/merchants/:id/portal',
    section: 'merchants',
    // Only a role that may change a merchant may create a link that allows it.
    role: ({ allowsRotation }) => (allowsRotation === 'yes' ? 'admin' : 'support'),
    label: 'Create link',
    effect: async (deps, id, values) =>
      values['allowsRotation'] === 'yes'
        ? {
            title: 'Create a link that allows changes?',
            text:
              'The link is valid for one hour. Anyone who has it can change the endpoint and the notification types, and see ' +
              'and replace the webhook secret of ' +
              `${await merchantName(deps, id)} for ${toEnvironment(environmentOf(values))} mode.`,
            label: 'Create link',
          }
        : undefined,
    run: async (deps, by, id, values) => {
      const owner = await readOwner(deps, id);
      const environment = toEnvironment(environmentOf(values));
      const allowsRotation = values['allowsRotation'] === 'yes';
      const link = await deps.merchants.portal.create(by, { owner, environment, allowsRotation });
      return {
        title: `Portal of ${owner.name}, ${environment} mode`,
        lines: [
          ['Link (shown only once)', link.url],
          ['Valid until', link.expiresAt.toISOString()],
        ],
      };
    },
    back: (_, id) => merchantPath(id, 'portal'),
  },
  {
    path: '/ops/portal-links/:id/revoke',
    section: 'merchants',
    role: 'support',
    label: 'Revoke',
    done: 'Link revoked. It stops working within 2 s.',
    run: async ({ merchants }, by, id) => merchants.portal.revoke(by, id),
    back: async ({ merchants }, id) => merchantPath((await merchants.portal.get(id)).ownerId, 'portal'),
  },
];

/** An empty field removes its member. A field that is not in the form leaves its member unchanged. */
function brandOf(values: FormValues, logo: Uint8Array | undefined): BrandChanges {
  const texts = brandTexts.map(({ name }) => [name, values[name] === '' ? null : values[name]] as const);
  return { ...Object.fromEntries(texts), logo: logo ?? (values['noLogo'] === 'yes' ? null : undefined) };
}
