/** The command `mutate-adapter`: reads its arguments, judges adapters and prints the table of results. */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mutationKinds } from './kinds.ts';
import { readMutationFile, type MutationFile } from './mutation-file.ts';
import { runMutants, type JudgedMutation } from './run-mutants.ts';

const help = `mutate-adapter [folder ...] [options]

Puts one fault at a time into a built adapter and shows which tests catch it: the generic rules of the conformance kit
alone, then all tests of the package. Default folder: the current one. The faults are in test/mutations.json.

  --only <kind>   judges only this kind of fault (may be repeated)
  --json          prints the results as JSON
  --list          prints the kinds of faults
  --help          prints this text

Exits with 1 if the rules catch less than 75 %, or all tests less than 95 %, of the faults of all folders of this run together, and prints which.
`;

/** The least share that must be caught, over all folders. */
const goals = { rules: 0.75, all: 0.95 };

interface JudgedAdapter {
  readonly adapter: string;
  readonly results: readonly JudgedMutation[];
  readonly absent: MutationFile['absent'];
}

/** Runs the command. The result is the exit code. */
export async function mutateAdapters(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return say(help);
  if (values.list)
    return say(
      `${Object.entries(mutationKinds)
        .map(([kind, what]) => `${kind}: ${what}`)
        .join('\n')}\n`,
    );
  const strange = values.only.filter((kind) => !Object.hasOwn(mutationKinds, kind));
  if (strange.length > 0) throw new Error(`"${strange[0]}" is not a kind of fault; --list prints them`);

  const judged: JudgedAdapter[] = [];
  for (const folder of positionals.length > 0 ? positionals : ['.']) {
    judged.push(await judgeAdapter(folder, values.only, values.json));
  }
  if (values.json) say(`${JSON.stringify(judged, null, 2)}\n`);
  return sumUp(judged, values.json ? process.stderr : process.stdout);
}

async function judgeAdapter(folder: string, only: readonly string[], isQuiet: boolean): Promise<JudgedAdapter> {
  const file = readMutationFile(folder);
  const mutations = file.mutations.filter(({ kind }) => only.length === 0 || only.includes(kind));
  const adapter = basename(resolve(folder));
  if (!isQuiet) say(`\n${adapter}: ${mutations.length} faults\n`);
  const results = await runMutants(folder, { ...file, mutations }, (one) => {
    if (!isQuiet) say(describeResult(one));
  });
  return { adapter, results, absent: file.absent };
}

function describeResult({ kind, file, caughtByRule, caughtByAny }: JudgedMutation): string {
  const by = caughtByRule ? `rule      ${caughtByRule}` : caughtByAny ? `own test  ${caughtByAny}` : 'SURVIVES';
  return `  ${kind.padEnd(34)} ${file.padEnd(28)} ${by}\n`;
}

/** Prints the shares that were caught; the result is the exit code. */
function sumUp(judged: readonly JudgedAdapter[], out: NodeJS.WritableStream): number {
  const results = judged.flatMap((one) => one.results);
  const byRule = results.filter(({ caughtByRule }) => caughtByRule !== null).length;
  const byAny = results.filter(({ caughtByAny }) => caughtByAny !== null).length;
  const percent = (count: number): string => `${((100 * count) / results.length).toFixed(1)} %`;
  out.write(
    `\n${results.length} faults: the rules alone caught ${byRule} (${percent(byRule)}), all tests ${byAny} (${percent(byAny)})\n`,
  );
  for (const { adapter, results: own } of judged) {
    for (const { kind, file } of own.filter(({ caughtByAny }) => caughtByAny === null)) {
      out.write(`survives: ${adapter} ${kind} in ${file}\n`);
    }
  }
  const missed = missedGoals({ faults: results.length, byRule, byAny });
  for (const goal of missed) out.write(`${goal}\n`);
  return missed.length === 0 ? 0 : 1;
}

/** The goals that the results miss, in words: the reasons for the exit code 1. */
export function missedGoals(caught: { readonly faults: number; readonly byRule: number; readonly byAny: number }) {
  const { faults, byRule, byAny } = caught;
  return [
    ...(byRule < goals.rules * faults ? [`below the goal of ${100 * goals.rules} % for the rules alone`] : []),
    ...(byAny < goals.all * faults ? [`below the goal of ${100 * goals.all} % for all tests`] : []),
  ];
}

function say(text: string): 0 {
  process.stdout.write(text);
  return 0;
}
