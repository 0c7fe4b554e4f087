import type { Actor, Audit, Deed } from '../index.ts';

export const ana: Actor = { type: 'command', name: 'ana', from: 'host-1' };

/** An audit that keeps nothing but what was done, in order. */
export function auditDouble(): Pick<Audit, 'run'> & { readonly deeds: readonly Deed[] } {
  const deeds: Deed[] = [];
  return {
    deeds,
    async run(_by, deed, work) {
      deeds.push(deed);
      return (await work()).value;
    },
  };
}
