/** A part of a page that is read separately. If the database is slow, the other parts are still shown. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { isDatabaseAway } from '../../database/database-away.ts';
import { live } from '../../html/components/parts.ts';
import { TimeLimitError, withTimeLimit } from '../../base/async/time-limit.ts';
import { SECOND } from '../../base/async/time.ts';

const limitMs = 2 * SECOND;

/** `title` is the heading of the part, and its name in the message if the part cannot be shown. */
export async function renderLivePart(name: string, title: string, show: () => Promise<SafeHtml>): Promise<SafeHtml> {
  return live(
    name,
    html`<h2>${title}</h2>
      ${await renderWithinLimit(title, show)}`,
  );
}

async function renderWithinLimit(title: string, show: () => Promise<SafeHtml>): Promise<SafeHtml> {
  try {
    return await withTimeLimit(limitMs, show);
  } catch (error) {
    if (!(error instanceof TimeLimitError) && !isDatabaseAway(error)) throw error;
    return html`<p class="note bad" role="alert">
      ${title} could not be read within ${limitMs / SECOND} s: the database is slow or unavailable.
    </p>`;
  }
}
