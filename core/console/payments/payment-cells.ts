/** Parts of the pages about payments that several of them show. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { ConsoleDeps } from '../deps.ts';

/** The name of an adapter's provider, in every page and list. */
export function providerText({ adapters }: Pick<ConsoleDeps, 'adapters'>, adapter: string): string {
  return adapters.title(adapter);
}

/** Leads to the adapter, by the name of its provider. */
export function providerLink(deps: Pick<ConsoleDeps, 'adapters'>, adapter: string): SafeHtml {
  return html`<a href="/ops/adapters/${encodeURIComponent(adapter)}">${providerText(deps, adapter)}</a>`;
}
