import type { Actor, Audit } from '../../audit/index.ts';
import type { AdapterStateName } from '../../../database/collections/adapter-state.ts';
import { openCountText, type AdapterStateStore, type OpenMoney } from './adapter-states.ts';

/**
 * Thrown if an adapter with open money should be turned off. Callbacks about that money would be answered 404, and some
 * providers then never send them again.
 */
export class OpenMoneyError extends Error {
  override readonly name = 'OpenMoneyError';

  constructor(adapter: string, { pending, recentlyPaid }: OpenMoney) {
    super(
      `${adapter} has ${openCountText(pending)} pending payments and ${openCountText(recentlyPaid)} paid payments in the ` +
        'chargeback window. If it is off, its callbacks are answered 404, and some providers do not send them again',
    );
  }
}

export interface AdapterStateChange {
  /** The name of an adapter, or the reference of one of its accounts. */
  readonly adapter: string;
  readonly to: AdapterStateName;
  readonly reason: string | undefined;
  /** Turns the adapter off even if it has open money. */
  readonly isForced?: boolean | undefined;
}

/**
 * Turns an adapter on, draining or off, and records this in the audit log. Returns the resulting version of the states.
 * Throws an OpenMoneyError if the adapter has open money, unless the call is forced.
 */
export async function turnAdapter(
  { adapterStates, audit }: { readonly adapterStates: AdapterStateStore; readonly audit: Pick<Audit, 'run'> },
  by: Actor,
  { adapter, to, reason, isForced = false }: AdapterStateChange,
): Promise<number> {
  const open = to === 'off' ? await adapterStates.openMoney(adapter) : undefined;
  if (open && !isForced && (open.pending || open.recentlyPaid)) throw new OpenMoneyError(adapter, open);
  const { states } = await adapterStates.read();
  const subject = { type: adapter.includes('/') ? 'account' : 'adapter', id: adapter };
  return audit.run(by, { act: 'adapter.state', subject, reason }, async () => {
    const value = await adapterStates.set(adapter, to, reason ?? 'no reason given');
    const after = open && { pending: openCountText(open.pending), recentlyPaid: openCountText(open.recentlyPaid) };
    return { value, before: { state: states[adapter] ?? null }, after: { state: to, ...after } };
  });
}
