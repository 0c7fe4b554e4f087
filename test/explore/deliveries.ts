/** Counts the requests to merchants that are in progress, so that the scheduler waits for their responses. */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type http from 'node:http';
import { currentActor } from './actors.ts';

export function countDeliveries(): void {
  const module = createRequire(import.meta.url)('node:http') as { request: typeof http.request };
  const { request } = module;
  module.request = ((...given: Parameters<typeof request>) => {
    const actor = currentActor.getStore();
    const made = request(...given);
    if (!actor) return made;
    actor.inProgress += 1;
    return made.once('close', () => (actor.inProgress -= 1));
  }) as typeof request;
  syncBuiltinESMExports();
}
