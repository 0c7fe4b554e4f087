/** Serves the logos of merchants from our own address. The file name contains a hash of the content. */
import { createAddressBudget, readLogoFile } from '../engine/access/index.ts';
import { notFound } from '../base/errors.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Ctx } from '../http/state.ts';

/** Requests per minute and address for logos that do not exist. Our pages show none of those. */
const missesLimit = 60;

/** The path from the root of the service. */
export function logoPath(file: string): string {
  return `pay/logos/${file}`;
}

/** Throws NF001 if there is no such logo, and RATE001 if an address asks for too many logos that do not exist. */
export function createLogoStep(deps: Pick<HttpDeps, 'access' | 'countOne' | 'now' | 'log'>) {
  const misses = createAddressBudget(missesLimit, 'requests of an address for logos that there are not', deps);
  return async (ctx: Ctx): Promise<void> => {
    const file = readLogoFile(ctx.params['name'] ?? '');
    const logo = file && (await deps.access.logo(file.ownerId, file.hash));
    if (!logo) {
      await misses.demand(ctx.ip);
      throw notFound('this logo');
    }
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    ctx.body = Buffer.from(logo.bytes);
    ctx.type = logo.type;
  };
}
