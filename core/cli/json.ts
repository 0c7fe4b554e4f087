import type { Shell } from './command.ts';

/** The option of every command that has a result. */
export const json = { type: 'boolean', help: 'print JSON' } as const;

/** Prints the result as JSON if requested, otherwise as one or more lines. */
export function printResult(
  shell: Pick<Shell, 'print'>,
  { json: wantsJson }: { readonly json?: boolean },
  result: unknown,
  words: string | readonly string[],
): void {
  const lines = wantsJson ? JSON.stringify(result) : words;
  for (const line of typeof lines === 'string' ? [lines] : lines) shell.print(line);
}

/** Prints problems for people. If JSON is requested, also prints `{ "problems": [...] }` instead of the result. */
export function printProblems(
  shell: Pick<Shell, 'print' | 'stderr'>,
  { json: wantsJson }: { readonly json?: boolean },
  problems: readonly string[],
): void {
  for (const problem of problems) shell.stderr(problem);
  if (wantsJson) shell.print(JSON.stringify({ problems }));
}
