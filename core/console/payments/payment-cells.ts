/** Parts of the pages about payments that several of them show. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { accountRefOf } from '../../engine/providers/index.ts';
import type { ConsoleDeps } from '../deps.ts';

/** The name of an adapter's provider, in every page and list. */
export function providerText({ adapters }: Pick<ConsoleDeps, 'adapters'>, adapter: string): string {
  return adapters.title(adapter);
}

/** The page of an account. `ref` is `<adapter>` for `main`, otherwise `<adapter>/<account>`. */
export function accountPath(ref: string): string {
  return `/ops/adapters/accounts/${encodeURIComponent(ref)}`;
}

/** The page of an adapter, or of one of its accounts. */
export function providerPath(ref: string): string {
  return ref.includes('/') ? accountPath(ref) : `/ops/adapters/${encodeURIComponent(ref)}`;
}

export function accountLink(adapter: string, account: string): SafeHtml {
  return html`<a href="${accountPath(accountRefOf({ adapter, account }))}">${account}</a>`;
}

/** Leads to the adapter, by the name of its provider. */
export function providerLink(deps: Pick<ConsoleDeps, 'adapters'>, adapter: string): SafeHtml {
  return html`<a href="${providerPath(adapter)}">${providerText(deps, adapter)}</a>`;
}
