import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { makeCollections } from '../../database/collections.ts';
import { currentVersion } from '../../database/collections/schema-version.ts';
import {
  createMigrations,
  describePlan,
  describeProgress,
  MigrationError,
  type Migrations,
  type MigrationStatus,
} from '../../engine/migrations/index.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { confirmAction, yes } from '../confirm.ts';
import { json, printProblems, printResult } from '../json.ts';
import { operatorOf } from '../operator.ts';
import { withDatabase } from '../with-database.ts';

const pollMs = 500;
/** If no worker makes progress for this long, the command does the work itself. */
const patienceMs = 15_000;
const batch = 200;

const inProgress = ['moving', 'finishing'] as const satisfies readonly MigrationStatus['state'][];

export const databaseMigrate = defineCommand({
  options: {
    plan: { type: 'boolean', help: 'print the steps, the number of documents and the progress; changes nothing' },
    apply: { type: 'boolean', help: 'move the documents; hosts of the previous version can still run' },
    finish: {
      type: 'boolean',
      help: 'remove what only the previous version needs; afterwards that version cannot start on the database',
    },
    yes,
    json,
  },
  notes: [
    'The workers of the service move the documents, and the command shows the progress. If it is interrupted, the workers',
    'continue; run it again to see the progress. It moves from one schema version to the next: no version can be skipped.',
  ],
  async run({ values, shell }) {
    const steps = (['plan', 'apply', 'finish'] as const).filter((name) => values[name]);
    const [step] = steps;
    if (step === undefined || steps.length > 1) throw new UsageError('Name one of --plan, --apply and --finish.');
    return withDatabase(shell, async ({ connection, audit, uri }) => {
      const migrations = createMigrations({ connection, now: () => new Date() });
      const status = await migrations.status();
      if (!status) {
        const words = `The database has schema version ${currentVersion}: there is nothing to migrate.`;
        printResult(shell, values, { version: currentVersion, to: currentVersion }, words);
        return 0;
      }
      if (step === 'plan') {
        printResult(shell, values, status, describePlan(status));
        return 0;
      }
      const effect = `Afterwards, the previous version cannot start on ${connection.name} any more, except from a backup.`;
      if (step === 'finish' && status.state === 'moved' && !(await confirmAction(shell, effect, values))) return 1;
      try {
        // The new validators and indexes come first, in case no host of this version has started yet.
        await makeCollections(uri, pino({ level: 'silent' }));
        await migrations[step](operatorOf(shell), audit);
        await follow(migrations, shell);
      } catch (error) {
        if (!(error instanceof MigrationError)) throw error;
        printProblems(shell, values, [error.message]);
        return 1;
      }
      const after = await migrations.status();
      const done = `The database has schema version ${currentVersion}.`;
      printResult(
        shell,
        values,
        after ?? { version: currentVersion, to: currentVersion },
        after ? describeProgress(after) : done,
      );
      return 0;
    });
  },
});

/** Prints the progress until the step ends. Does the work itself if no worker does it. */
async function follow(migrations: Migrations, shell: Shell): Promise<void> {
  let [shown, changedAt] = ['', Date.now()];
  for (;;) {
    const status = await migrations.status();
    if (!status || !inProgress.some((state) => state === status.state)) return;
    const line = describeProgress(status);
    const hasChanged = line !== shown;
    if (hasChanged) {
      shell.stderr(line);
      [shown, changedAt] = [line, Date.now()];
    }
    if (status.workers === 0 || Date.now() - changedAt > patienceMs) {
      const { more, done } = await migrations.next(batch);
      if (more || done > 0) continue;
    }
    await sleep(pollMs);
  }
}
