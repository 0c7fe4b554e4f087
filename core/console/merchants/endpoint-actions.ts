/** Actions of operators on the notification addresses of merchants. */
import { answerText } from '../../base/text/answer-text.ts';
import { invalidField, notFound } from '../../base/errors.ts';
import type { MerchantEndpoint } from '../../engine/merchants/index.ts';
import { reasonOf, type ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormValues } from '../kit/form-values.ts';
import { endpointFields } from './endpoints-section.ts';
import { merchantName, merchantPath, modeText, readOwner } from './merchants.ts';

const path = '/ops/merchants/:id/endpoints';
/** How long the page waits for the answer to a test event. */
const testAnswerMs = 10_000;
const toWebhooks = (_: ConsoleDeps, id: string): string => merchantPath(id, 'webhooks');

export const endpointActions: readonly ConsoleAction[] = [
  {
    path: `${path}/default`,
    section: 'merchants',
    role: 'admin',
    label: 'Save',
    run: async (deps, by, id, values) => {
      const mode = values['mode'] === 'live' ? 'live' : 'test';
      const field = endpointFields[mode];
      const { [field]: url = '' } = values;
      const settings = { [field]: url === '' ? null : url };
      const { warnings } = await deps.merchants.change(by, await merchantName(deps, id), settings);
      const what = url === '' ? `${modeText(mode)} endpoint removed.` : `${modeText(mode)} endpoint saved.`;
      return { done: [what, ...warnings].join(' ') };
    },
    back: toWebhooks,
  },
  {
    path: `${path}/test`,
    section: 'merchants',
    role: 'support',
    label: 'Test event',
    run: async (deps, by, id, values) => {
      const { owner, environment, url, origin } = await endpointOf(deps, id, values);
      const { isDelivered, attempt } = await deps.merchants.test(by, { owner, environment, url }, testAnswerMs);
      if (!attempt)
        return { done: `Test event created. No worker has sent it yet; its attempt is shown at the endpoint.` };
      const answer = `${origin} answered: ${answerText(attempt)}.`;
      if (!isDelivered) throw invalidField('origin', origin, `the test event was not delivered. ${answer}`);
      return { done: `Test event delivered. ${answer}` };
    },
    back: toWebhooks,
  },
  {
    path: `${path}/enable`,
    section: 'merchants',
    role: 'support',
    label: 'Enable',
    run: async (deps, by, id, values) => {
      const endpoint = await endpointOf(deps, id, values);
      const sentAgain = await deps.merchants.enable(by, endpoint);
      return {
        done:
          sentAgain === undefined
            ? `${endpoint.origin} was not disabled.`
            : `${endpoint.origin} enabled. ${sentAgain} kept notifications are sent again.`,
      };
    },
    back: toWebhooks,
  },
  {
    path: `${path}/disable`,
    section: 'merchants',
    role: 'admin',
    label: 'Disable',
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
    back: toWebhooks,
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
