/** The commands that turn an adapter, or one of its accounts, on, draining or off. */
import type { AdapterStateName } from '../../database/collections/adapter-state.ts';
import { defineCommand, type CommandBody, type Shell } from '../command.ts';
import { json, printProblems, printResult } from '../json.ts';
import { url, withManagement, type Management } from '../management.ts';

export const reason = { type: 'string', value: '<text>', help: 'the reason, for the audit log' } as const;
const force = { type: 'boolean', help: 'turn it off even if money is open' } as const;

interface Values {
  readonly reason?: string;
  readonly force?: boolean;
  readonly url?: string;
  readonly json?: boolean;
}

export interface Turnable {
  /** The member of the JSON result that names what was turned. */
  readonly as: 'adapter' | 'account';
  readonly notes?: readonly string[];
  /** Returns the name as it is shown. Throws a UsageError for a name that has no state of its own. */
  readonly read: (name: string, shell: Shell, values: Values) => Promise<string> | string;
  readonly turn: (
    call: Management['call'],
    name: string,
    change: {
      readonly state: AdapterStateName;
      readonly reason: string | undefined;
      readonly force: boolean | undefined;
    },
  ) => Promise<Followed>;
}

export function stateCommands(what: Turnable): Readonly<Record<'on' | 'drain' | 'off', CommandBody>> {
  const { notes = [] } = what;
  const command = (state: 'on' | 'draining'): CommandBody =>
    defineCommand({
      options: { reason, url, json },
      notes,
      run: async ({ values, operands: [name = ''], shell }) => turn(what, shell, name, state, values),
    });
  const off = defineCommand({
    options: { reason, url, json, force },
    notes,
    run: async ({ values, operands: [name = ''], shell }) => turn(what, shell, name, 'off', values),
  });
  return { on: command('on'), drain: command('draining'), off };
}

async function turn(
  { as, read, turn: ask }: Turnable,
  shell: Shell,
  given: string,
  state: AdapterStateName,
  values: Values,
): Promise<number> {
  const name = await read(given, shell, values);
  const change = { state, force: values.force, reason: values.reason };
  const turned = await withManagement(shell, values, async ({ call }) => ask(call, name, change));
  return printFollowed(shell, values, turned, { words: `${name} is ${state}`, result: { [as]: name, state } });
}

interface Followed {
  readonly version: number;
  readonly processes: number;
  readonly behind: readonly { readonly process: string; readonly problem: string | null }[];
}

/** Prints the result if every running process follows, otherwise which process does not, and why. */
export function printFollowed(
  shell: Shell,
  values: { readonly json?: boolean },
  { version, processes, behind }: Followed,
  { words, result }: { readonly words: string; readonly result: object },
): number {
  if (behind.length === 0) {
    const following = processes ? `${processes} processes follow` : 'no process is running';
    printResult(shell, values, { ...result, version, processes }, `${words} (version ${version}, ${following})`);
    return 0;
  }
  const late = `${behind.map(({ process: name }) => name).join(', ')} did not follow in time`;
  const problems = behind.flatMap(({ process: name, problem }) =>
    problem === null ? [] : [`${name} could not follow: ${problem}`],
  );
  printProblems(shell, values, problems.length > 0 ? problems : [late]);
  return 1;
}
