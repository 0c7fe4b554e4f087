/** Actions of operators on the notification addresses of merchants. */
import { notFound } from '../../base/errors.ts';
import { reasonOf, type ConsoleAction } from '../kit/action.ts';
import type { MerchantEndpoint } from '../../engine/merchants/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { readOwner, toMerchant } from './merchants.ts';
import type { FormValues } from '../kit/form-values.ts';

const path = '/ops/merchants/:id/endpoints';
/** How long the page waits for the answer to a test event. */
const testAnswerMs = 10_000;

export const endpointActions: readonly ConsoleAction[] = [
  {
    path: `${path}/test`,
    section: 'merchants',
    role: 'support',
    label: 'Test event',
    done: 'Test event created. Its delivery is shown at the endpoint in a moment.',
    run: async (deps, by, id, values) => {
      const { owner, environment, url } = await endpointOf(deps, id, values);
      await deps.merchants.test(by, { owner, environment, url }, testAnswerMs);
    },
    back: toMerchant,
  },
  {
    path: `${path}/enable`,
    section: 'merchants',
    role: 'support',
    label: 'Enabling',
    done: 'Endpoint enabled.',
    run: async (deps, by, id, values) => void (await deps.merchants.enable(by, await endpointOf(deps, id, values))),
    back: toMerchant,
  },
  {
    path: `${path}/disable`,
    section: 'merchants',
    role: 'admin',
    label: 'Disabling',
    done: 'Endpoint disabled. It receives no more notifications within 30 s.',
    effect: async (deps, id, values) => {
      const { owner, environment, origin } = await endpointOf(deps, id, values);
      return {
        title: `Disable ${origin}?`,
        text:
          `This stops the notifications of ${owner.name} to ${origin} (${environment}), except test events, within 30 s. ` +
          'Notifications that are created in the meantime are kept until the address is enabled.',
        label: 'Disable',
      };
    },
    run: async (deps, by, id, values) => {
      await deps.merchants.disable(by, await endpointOf(deps, id, values), reasonOf(values));
    },
    back: toMerchant,
  },
];

/** Throws NF001 if no notifications go to this address. */
async function endpointOf(
  deps: ConsoleDeps,
  id: string,
  { origin, environment }: FormValues,
): Promise<MerchantEndpoint & { readonly owner: { readonly id: number; readonly name: string } }> {
  const owner = await readOwner(deps, id);
  const all = await deps.merchants.endpoints(owner);
  const found = all.find((one) => one.origin === origin && one.environment === environment);
  if (!found) throw notFound('this address of the merchant');
  return { ...found, owner };
}
