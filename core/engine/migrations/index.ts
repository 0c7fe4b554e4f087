/** Moves databases of the previous schema version forward. `migration.ts` explains how. */
export { createMigrations, MigrationError, type Migrations, type MigrationStatus } from './migrations.ts';
export { describePlan, describeProgress } from './describe-status.ts';
