import type { Shell } from './command.ts';

/** The option of every command that has a result. */
export const json = { type: 'boolean', help: 'print JSON' } as const;

/** Prints the result as JSON where that is asked for, else in words. */
export function printResult(
  shell: Pick<Shell, 'print'>,
  { json: wantsJson }: { readonly json?: boolean },
  result: unknown,
  words: string,
): void {
  shell.print(wantsJson ? JSON.stringify(result) : words);
}
