import { UsageError, type Shell } from './command.ts';
import { printProblems } from './json.ts';

/** The option of every command that asks for confirmation. */
export const yes = { type: 'boolean', help: 'do not ask for confirmation' } as const;

/**
 * Prints what is about to happen, as a sentence, and asks for confirmation. Throws a UsageError if there is no
 * terminal.
 */
export async function confirmAction(
  shell: Shell,
  effect: string,
  values: { readonly yes?: boolean; readonly json?: boolean } = {},
): Promise<boolean> {
  if (values.yes) return true;
  if (!shell.ask)
    throw new UsageError(
      `${effect} There is no terminal to ask for confirmation: add --yes to continue without asking.`,
    );
  if (/^\s*y(es)?\s*$/i.test(await shell.ask(`${effect} Continue? [y/N] `))) return true;
  printProblems(shell, values, ['Cancelled: nothing was changed.']);
  return false;
}
