/** Actions of operators on adapters. */
import { adapterSubject, alarmId } from '../../engine/alarms/index.ts';
import type { Actor } from '../../engine/audit/index.ts';
import { openCountText } from '../../engine/providers/states/adapter-states.ts';
import type { AdapterStateName } from '../../database/collections/adapter-state.ts';
import { invalidField, notFound } from '../../base/errors.ts';
import { readTime } from '../../html/components/query.ts';
import { DAY } from '../../base/async/time.ts';
import { capitalise } from '../../base/text/capitalise.ts';
import type { Environment } from '../../base/environment.ts';
import { requireReason, type ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ReplayRequest } from './replays.ts';
import type { FormValues } from '../kit/form-values.ts';

/** What operators check and turn on or off: an adapter, or one of its accounts. */
export interface Switched {
  readonly path: string;
  readonly type: 'adapter' | 'account';
  /** Says which payments it takes once it is on. */
  readonly accepts: string;
  /** Throws a `GatewayError` if there is none. */
  readonly demand: (deps: ConsoleDeps, id: string) => Promise<unknown>;
  readonly nameOf: (deps: ConsoleDeps, id: string) => string;
  readonly back: ConsoleAction['back'];
}

const switchedAdapter: Switched = {
  path: '/ops/adapters/:id',
  type: 'adapter',
  accepts: 'through its routes and through its code',
  demand: knownAdapter,
  nameOf: (deps, id) => deps.adapters.title(id),
  back: (_, id) => `/ops/adapters/${encodeURIComponent(id)}`,
};

const partLabels = {
  settings: 'Configuration',
  connection: 'Connection',
  clock: 'Clock',
  credentials: 'Credentials',
  callbacks: 'Callbacks',
} as const;
const findingLooks = { ok: 'good', warn: 'warn', wrong: 'bad', unchecked: 'calm' } as const;
const findingLabels = { ok: 'OK', warn: 'warning', wrong: 'problem', unchecked: 'not checked' } as const;

export const stateLabels = { on: 'Turn on', draining: 'Drain', off: 'Turn off' } as const;
const stateDone = {
  on: 'turned on.',
  draining: 'is draining: it accepts no new payments.',
  off: 'turned off.',
} as const;

export const adapterActions: readonly ConsoleAction[] = [
  ...stateActions(switchedAdapter),
  checkAction(switchedAdapter),
  {
    path: '/ops/adapters/:id/replay',
    section: 'adapters',
    // It runs the code of a package.
    role: 'admin',
    label: 'Test of the candidate',
    effect: async (deps, id, values) => {
      const { package: candidate, since } = await readReplayRequest(deps, id, values);
      return {
        title: `Test ${candidate}?`,
        text:
          `This runs ${candidate} on this host. It reads at most 1000 callbacks of ${id} since ${since.toISOString()}, ` +
          'with the options from config. Nothing is changed or sent.',
        label: 'Start the test',
        isDangerous: false,
      };
    },
    run: async (deps, by, id, values) => {
      const replay = deps.replays.start(by, await readReplayRequest(deps, id, values));
      return { leadsTo: `/ops/adapters/replays/${replay}` };
    },
    back: switchedAdapter.back,
  },
];

export function checkAction({ path, type, demand, nameOf, back }: Switched): ConsoleAction {
  return {
    path: `${path}/check`,
    section: 'adapters',
    role: 'support',
    label: 'Check',
    run: async (deps, by, id) => {
      await demand(deps, id);
      const action = { act: 'adapter.check', subject: { type, id } } as const;
      const { findings, isAccountRight, reached } = await deps.audit.run(by, action, async () => {
        const value = await deps.adapters.check(id);
        const wrong = value.findings.filter(({ state }) => state === 'wrong').map(({ text }) => text);
        return { value, after: { isAccountRight: value.isAccountRight, wrong } };
      });
      const both = isAccountRight ? (['live', 'test'] as const) : [];
      const isAccepted = await resolveAlarms(deps, by, { kind: 'provider_misconfigured', adapter: id, modes: both });
      const isReached = await resolveAlarms(deps, by, { kind: 'breaker_open', adapter: id, modes: reached });
      const lines = [
        ...findings.map(
          ({ state, part, text }) =>
            [`${partLabels[part]}: ${findingLabels[state]}`, text, findingLooks[state]] as const,
        ),
        ...(isAccepted ? [['Alarm', 'Resolved: the provider accepts our credentials.'] as const] : []),
        ...(isReached ? [['Alarm', 'Resolved: the provider can be reached.'] as const] : []),
      ];
      const none = [['Not checked', `The ${type} is off, so this host does not run it.`]] as const;
      const name = nameOf(deps, id);
      return { title: `Check of ${name}`, lines: lines.length > 0 ? lines : none, seen: `Back to ${name}` };
    },
    back,
  };
}

const resolveReasons = {
  provider_misconfigured: 'the provider accepts our credentials again',
  breaker_open: 'the provider can be reached again',
} as const;

interface CheckedAlarms {
  readonly kind: keyof typeof resolveReasons;
  readonly adapter: string;
  readonly modes: readonly Environment[];
}

/** False: no such alarm was open. */
async function resolveAlarms(
  { alarms, alarmActions }: ConsoleDeps,
  by: Actor,
  { kind, adapter, modes }: CheckedAlarms,
): Promise<boolean> {
  const resolved: boolean[] = [];
  for (const environment of modes) {
    const id = alarmId(kind, adapterSubject(adapter, environment));
    if (await alarms.get(id)) resolved.push(await alarmActions.resolve(by, id, resolveReasons[kind]));
  }
  return resolved.includes(true);
}

const packageName = /^(@[\w.~-]+\/)?[\w~-][\w.~-]*$/;

/** Throws VAL002 if the package cannot be a version of the adapter, or if the time is not valid. */
async function readReplayRequest(deps: ConsoleDeps, id: string, values: FormValues): Promise<ReplayRequest> {
  await knownAdapter(deps, id);
  const { candidate = '', since: text = '' } = values;
  const isVersion = candidate.split('/').at(-1) === id || candidate === deps.adapters.get(id)?.package;
  if (!packageName.test(candidate) || !isVersion)
    throw invalidField(
      'candidate',
      candidate,
      `must be a package whose name ends in /${id}, or the configured package`,
    );
  const since = readTime(text === '' ? undefined : text);
  if (since === null) throw invalidField('since', text, 'must be like 2026-01-31T12:00');
  return { adapter: id, package: candidate, since: since ?? new Date(deps.now().getTime() - DAY) };
}

export function stateActions(switched: Switched): readonly ConsoleAction[] {
  const { path, type, demand, nameOf, back } = switched;
  return (['on', 'draining', 'off'] as const).map((to): ConsoleAction => ({
    path: `${path}/${to}`,
    section: 'adapters',
    role: 'admin',
    label: stateLabels[to],
    done: `${capitalise(type)} ${stateDone[to]}`,
    effect: async (deps, id, values) => {
      await demand(deps, id);
      requireReason(values);
      return {
        title: `${stateLabels[to]} ${nameOf(deps, id)}?`,
        text: await stateChangeEffect(deps, switched, id, to),
        label: stateLabels[to],
        isDangerous: to !== 'on',
      };
    },
    run: async (deps, by, id, values) => {
      await demand(deps, id);
      // The confirmation showed the operator what is open.
      await deps.turn(by, { adapter: id, to, reason: requireReason(values), isForced: true });
    },
    back,
  }));
}

async function stateChangeEffect(
  deps: ConsoleDeps,
  { accepts, nameOf }: Switched,
  id: string,
  to: AdapterStateName,
): Promise<string> {
  const name = nameOf(deps, id);
  if (to === 'on') return `${name} will accept new payments, ${accepts}.`;
  if (to === 'draining') return `${name} will accept no new payments. Open payments continue.`;
  const { pending, recentlyPaid } = await deps.adapterStates.openMoney(id);
  return (
    `${name} will be switched off. Its callbacks are then answered with 404, which some providers treat as final, and the ` +
    `status of its payments is no longer checked. Payments that are pending there: ${openCountText(pending)}; ` +
    'paid so recently that a refund or a chargeback may follow: ' +
    `${openCountText(recentlyPaid)}.`
  );
}

async function knownAdapter({ adapterStates }: ConsoleDeps, name: string): Promise<void> {
  const { states } = await adapterStates.read();
  if (!Object.hasOwn(states, name)) throw notFound('an adapter of this name');
}
