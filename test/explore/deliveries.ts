/** Counts the requests to merchants that are under way, so that the scheduler waits for their answers. */
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
    actor.underWay += 1;
    return made.once('close', () => (actor.underWay -= 1));
  }) as typeof request;
  syncBuiltinESMExports();
}
