/** The service cannot start, for reasons that are meant for the person who starts it: a sentence each, with its cure. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly problems: readonly string[];

  constructor(problems: Iterable<string>, options?: ErrorOptions) {
    const lines = [...new Set(problems)];
    super(lines.join('\n'), options);
    this.problems = lines;
  }
}

/** What that person reads of an error: its message, or, where it holds several problems, one line each. */
export function toProblems(error: unknown): readonly string[] {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.flatMap(toProblems);
  if (!(error instanceof Error)) return [String(error)];
  // Not by class: packages and processes have copies of their own.
  const { problems } = error as { readonly problems?: unknown };
  const isList = Array.isArray(problems) && problems.every((problem) => typeof problem === 'string');
  return isList && problems.length > 0 ? problems : [error.message || error.name];
}
