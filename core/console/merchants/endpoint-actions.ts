/** What operators do to the addresses of merchants. */
import { notFound } from '../../base/errors.ts';
import { reasonOf, type ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps, MerchantEndpoint } from '../deps.ts';
import { readOwner, toMerchant } from './merchants.ts';
import type { FormValues } from '../kit/form-values.ts';

const path = '/ops/merchants/:id/endpoints';

export const endpointActions: readonly ConsoleAction[] = [
  {
    path: `${path}/test`,
    section: 'merchants',
    role: 'support',
    run: async (deps, by, id, values) => {
      const { owner, environment, url } = await endpointOf(deps, id, values);
      await deps.endpointActions.test(by, { owner, environment, url });
    },
    back: toMerchant,
  },
  {
    path: `${path}/enable`,
    section: 'merchants',
    role: 'support',
    run: async (deps, by, id, values) =>
      void (await deps.endpointActions.enable(by, await endpointOf(deps, id, values))),
    back: toMerchant,
  },
  {
    path: `${path}/disable`,
    section: 'merchants',
    role: 'admin',
    effect: async (deps, id, values) => {
      const { owner, environment, origin } = await endpointOf(deps, id, values);
      return (
        `This sends ${owner.name} nothing but test events at ${origin} (${environment}) any more, within 30 s: ` +
        'what is made meanwhile is kept until somebody enables it.'
      );
    },
    run: async (deps, by, id, values) => {
      await deps.endpointActions.disable(by, await endpointOf(deps, id, values), reasonOf(values));
    },
    back: toMerchant,
  },
];

/** Throws NF001 where nothing goes to such an address. */
async function endpointOf(
  deps: ConsoleDeps,
  id: string,
  { origin, environment }: FormValues,
): Promise<MerchantEndpoint & { readonly owner: { readonly id: number; readonly name: string } }> {
  const owner = await readOwner(deps, id);
  const all = await deps.endpoints(owner);
  const found = all.find((one) => one.origin === origin && one.environment === environment);
  if (!found) throw notFound('an address of this merchant like this');
  return { ...found, owner };
}
