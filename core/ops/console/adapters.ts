/** Adapters: which take payments, which only end them, and whether every process follows. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { badge, table, textField, time } from '../../http/dashboard/parts.ts';
import { actForm } from './act-form.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Session } from './session.ts';

const shownChanges = 20;

export async function adaptersPage(deps: ConsoleDeps, session: Session): Promise<SafeHtml> {
  const { adapterStates, backlog } = deps;
  const [{ version, states }, running, changes, { attemptsOpen }] = await Promise.all([
    adapterStates.read(),
    adapterStates.running(),
    adapterStates.changes(shownChanges),
    backlog(),
  ]);
  const open = new Map(attemptsOpen.map(({ provider, count }) => [provider, count]));
  const behind = running.filter((one) => one.version < version);
  return html`${
      behind.length === 0
        ? null
        : table({
            caption: 'Processes that do not follow',
            head: ['Process', 'Runs version', 'Why'],
            rows: behind.map(({ _id, version: theirs, problem }) => [_id, theirs, problem || 'it has not looked yet']),
            empty: '',
          })
    }
    ${table({
      caption: 'Adapters',
      head: ['Adapter', 'State', 'Open attempts', 'Act'],
      rows: Object.entries(states).map(([name, state]) => [
        name,
        badge(state),
        open.get(name) ?? '–',
        html`<div class="acts">${turns(session, name, state)}</div>`,
      ]),
      empty: 'No adapter is configured.',
    })}
    <h2>Changes</h2>
    ${table({
      caption: 'Changes of states, the newest first',
      head: ['When', 'Adapter', 'From', 'To', 'By', 'Why'],
      rows: changes.map(({ at, adapter, from, to, by, reason }) => [time(at), adapter, from ?? '–', to, by, reason]),
      empty: 'None was ever changed.',
    })}`;
}

const labels = { on: 'Turn on', draining: 'Drain', off: 'Turn off' } as const;

function turns(session: Session, name: string, state: keyof typeof labels): (SafeHtml | null)[] {
  const others = (['on', 'draining', 'off'] as const).filter((one) => one !== state);
  return others.map((to) =>
    actForm(session, 'admin', {
      action: `/ops/adapters/${name}/${to}`,
      label: labels[to],
      fields: textField({ name: 'reason', label: 'Why' }),
      isDangerous: to !== 'on',
    }),
  );
}
