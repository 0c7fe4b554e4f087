import type { Actor, Audit } from '../../audit/index.ts';
import type { AdapterStateWord } from '../../../database/collections/adapter-state.ts';
import { openCountText, type AdapterStateStore, type OpenMoney } from './adapter-states.ts';

/**
 * Thrown if the adapter still has open money: callbacks about it would be answered 404, which some providers treat as
 * final.
 */
export class OpenMoneyError extends Error {
  override readonly name = 'OpenMoneyError';

  constructor(adapter: string, { pending, recentlyPaid }: OpenMoney) {
    super(
      `${adapter} has ${openCountText(pending)} pending payments and ${openCountText(recentlyPaid)} paid ones in the chargeback ` +
        'window: off means that its callbacks are answered 404, which some providers take as final',
    );
  }
}

export interface Turn {
  readonly adapter: string;
  readonly to: AdapterStateWord;
  readonly reason: string | undefined;
  /** Turns it off although money is open. */
  readonly isForced?: boolean;
}

/** Returns the version of the states that are then in force. Throws an OpenMoneyError. */
export async function turnAdapter(
  { adapterStates, audit }: { readonly adapterStates: AdapterStateStore; readonly audit: Pick<Audit, 'run'> },
  by: Actor,
  { adapter, to, reason, isForced = false }: Turn,
): Promise<number> {
  const open = to === 'off' ? await adapterStates.openMoney(adapter) : undefined;
  if (open && !isForced && (open.pending || open.recentlyPaid)) throw new OpenMoneyError(adapter, open);
  const { states } = await adapterStates.read();
  return audit.run(by, { act: 'adapter.state', subject: { type: 'adapter', id: adapter }, reason }, async () => {
    const value = await adapterStates.set(adapter, to, reason ?? 'no reason given');
    const after = open && { pending: openCountText(open.pending), recentlyPaid: openCountText(open.recentlyPaid) };
    return { value, before: { state: states[adapter] ?? null }, after: { state: to, ...after } };
  });
}
