/** Shows the test of a candidate version of an adapter on stored callbacks. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../base/errors.ts';
import { announced, badge, fact, live, time } from '../../html/components/parts.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import type { ReplayResult } from './replays.ts';

/** Throws NF001 if this host does not know the test. */
export async function replayPage({ replays }: ConsoleDeps, id: string, table: ShowTable): Promise<SafeHtml> {
  const found = replays.get(id);
  if (!found)
    throw notFound('this test (only the host that started it shows it, until it restarts: see the audit log)');
  const { adapter, package: candidate, since, startedAt, state, result, problem } = found;
  return html`${live(
      'replay',
      html`${announced(
        html`<p>
          ${badge(state)} ${candidate} reads the callbacks of ${adapter} received since ${time(since)}. Started
          ${time(startedAt)}. Nothing is changed or sent.
        </p>`,
      )}
      ${state === 'in_progress' ? html`<progress aria-label="Reading callbacks"></progress>` : null}
      ${problem === undefined ? null : html`<p class="note bad" role="alert">${problem}</p>`}
      ${result ? resultOf(result, table) : null}`,
    )}
    <p class="pages">
      <a href="/ops/adapters/${encodeURIComponent(adapter)}">${adapter}</a>
      <a href="/ops/audit?act=adapter.replay">Audit</a>
    </p>`;
}

function resultOf({ read, different, unreadable, callbacks }: ReplayResult, table: ShowTable): SafeHtml {
  return html`<dl class="facts">
      ${fact('Callbacks read', read)} ${fact('Read differently', different)} ${fact('Not decrypted', unreadable)}
    </dl>
    <h2>Differences</h2>
    ${table('differences', {
      caption: 'Callbacks that the candidate reads differently',
      head: ['Received', 'Callback', 'Recorded result', 'Result of the candidate'],
      rows: callbacks.map(({ id, receivedAt, path, before, after }) => [
        time(new Date(receivedAt)),
        html`<a href="/ops/callbacks/${encodeURIComponent(id)}">${path}</a>`,
        linesOf(before, after),
        linesOf(after, before),
      ]),
      empty:
        read === 0 ? 'No callbacks were received in this period.' : 'The candidate reads all callbacks the same way.',
    })}`;
}

/** Lines that both results have are shown smaller. */
function linesOf(lines: readonly string[], other: readonly string[]): SafeHtml {
  return html`${lines.map((line) => (other.includes(line) ? html`<small>${line}</small>` : html`<div>${line}</div>`))}`;
}
