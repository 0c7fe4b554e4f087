/**
 * The modes of the delivery loop, and the transitions between them. `delivery-loop.ts` explains what each mode does.
 */

const successors = {
  dispatching: ['polling', 'resting', 'delivering', 'idle', 'draining'],
  polling: ['dispatching', 'resting', 'delivering', 'idle'],
  resting: ['dispatching'],
  delivering: ['dispatching'],
  idle: ['dispatching', 'draining'],
  draining: [],
} as const;

export type ModeName = keyof typeof successors;

export type ActiveMode =
  { readonly name: 'resting'; readonly ms: number } | { readonly name: Exclude<ModeName, 'resting' | 'draining'> };

export type Mode = ActiveMode | { readonly name: 'draining' };

/** The next mode, unless a run in this mode cannot enter it. */
export function assertTransition(from: Mode, to: Mode): Mode {
  const allowed: readonly ModeName[] = successors[from.name];
  if (!allowed.includes(to.name)) throw new Error(`The delivery loop cannot go from ${from.name} to ${to.name}`);
  return to;
}
