/** The service cannot start. Each problem is one sentence for the person who starts it, and says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly problems: readonly string[];

  constructor(problems: Iterable<string>, options?: ErrorOptions) {
    const lines = [...new Set(problems)];
    super(lines.join('\n'), options);
    this.problems = lines;
  }
}

/** The text of an error for that person: its message, or one line for each of its problems. */
export function toProblems(error: unknown): readonly string[] {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.flatMap(toProblems);
  if (!(error instanceof Error)) return [String(error)];
  // Not `instanceof`: packages and processes have their own copies of the class.
  const { problems } = error as { readonly problems?: unknown };
  const isList = Array.isArray(problems) && problems.every((problem) => typeof problem === 'string');
  return isList && problems.length > 0 ? problems : [error.message || error.name];
}
