/** Moves databases of the previous schema version forward. `migration.ts` explains how. */
export { createMigrations, type Migrations } from './migrations.ts';
export { MigrationError } from './progress.ts';
export type { MigrationStatus } from './status.ts';
export { describePlan, describeProgress } from './describe-status.ts';
