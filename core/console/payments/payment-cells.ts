/** Parts of the pages about payments that several of them show. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { problemTexts, type Problem } from '../../engine/payments/index.ts';
import { badge } from '../../html/components/parts.ts';
import type { ConsoleDeps } from '../deps.ts';

/** Problems that wait for a person, unlike those that may still end well. */
const severe: ReadonlySet<Problem> = new Set(['dispute_open', 'charged_twice', 'refund_failed', 'needs_review']);

export function problemBadges(problems: readonly Problem[]): SafeHtml {
  // An open dispute is a charge-back, too: one badge says it.
  const shown = problems.filter((one) => one !== 'charged_back' || !problems.includes('dispute_open'));
  return html`${shown.map((one) => html`${badge(problemTexts[one], severe.has(one) ? 'bad' : 'warn')} `)}`;
}

/** The name of an adapter's provider; the name of the adapter if it is off. */
export function providerText({ adapters }: Pick<ConsoleDeps, 'adapters'>, adapter: string): string {
  return adapters.get(adapter)?.manifest?.title ?? adapter;
}
