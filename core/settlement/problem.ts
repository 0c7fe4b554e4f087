/** A settlement file or its mapping cannot be read: nothing was compared. Each problem names the file, the place and the cure. */
export class SettlementProblem extends Error {
  override readonly name = 'SettlementProblem';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
