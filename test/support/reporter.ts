/** Mocha's spec reporter, followed by the plain line that CI reads: `N passed, N failed`. */
import mocha from 'mocha';
import type { MochaOptions, Runner } from 'mocha';

export default class Reporter extends mocha.reporters.Spec {
  constructor(runner: Runner, options?: MochaOptions) {
    super(runner, options);
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`);
    });
  }
}
