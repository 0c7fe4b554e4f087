/** Parts of the pages about payments that several of them show. */
import type { ConsoleDeps } from '../deps.ts';

/** The name of an adapter's provider; the name of the adapter if it is off. */
export function providerText({ adapters }: Pick<ConsoleDeps, 'adapters'>, adapter: string): string {
  return adapters.get(adapter)?.manifest?.title ?? adapter;
}
