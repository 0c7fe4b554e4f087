import { UsageError, type Shell } from './command.ts';
import { printProblems } from './json.ts';

/** The option of every command that asks. */
export const yes = { type: 'boolean', help: 'do not ask whether to do it' } as const;

/** Says what is about to happen, a sentence, and asks whether it may. Throws a UsageError where nobody can be asked. */
export async function mayDo(
  shell: Shell,
  effect: string,
  values: { readonly yes?: boolean; readonly json?: boolean } = {},
): Promise<boolean> {
  if (values.yes) return true;
  if (!shell.ask) throw new UsageError(`${effect} Nobody is here to be asked: --yes does it without asking.`);
  if (/^\s*y(es)?\s*$/i.test(await shell.ask(`${effect} Do it? [y/N] `))) return true;
  printProblems(shell, values, ['Nothing was done.']);
  return false;
}
