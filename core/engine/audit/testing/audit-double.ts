import type { Actor, Audit, AuditedAction } from '../index.ts';

export const ana: Actor = { type: 'command', name: 'ana', from: 'host-1' };

/** An audit that only records the actions, in order. */
export function auditDouble(): Pick<Audit, 'run'> & { readonly actions: readonly AuditedAction[] } {
  const actions: AuditedAction[] = [];
  return {
    actions,
    async run(_by, action, work) {
      actions.push(action);
      return (await work()).value;
    },
  };
}
