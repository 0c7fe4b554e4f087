/**
 * A settlement file or its mapping cannot be read, and nothing was compared. Each problem names the file, the position
 * and what to do.
 */
export class SettlementProblem extends Error {
  override readonly name = 'SettlementProblem';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
