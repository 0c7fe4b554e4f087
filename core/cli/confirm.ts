import { UsageError, type Shell } from './command.ts';

/** The option of every command that asks. */
export const yes = { type: 'boolean', help: 'do not ask whether to do it' } as const;

/** Says what is about to happen, a sentence, and asks whether it may. Throws a UsageError where nobody can be asked. */
export async function mayDo(shell: Shell, effect: string, isSure = false): Promise<boolean> {
  if (isSure) return true;
  if (!shell.ask) throw new UsageError(`${effect} Nobody is here to be asked: --yes does it without asking.`);
  if (/^\s*y(es)?\s*$/i.test(await shell.ask(`${effect} Do it? [y/N] `))) return true;
  shell.stderr('Nothing was done.');
  return false;
}
