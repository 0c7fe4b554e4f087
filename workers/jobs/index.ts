import type { Gateway } from '../../core/gateway.ts';
import type { Job } from '../../core/engine/jobs/index.ts';
import { catchUpPayments } from './catch-up-payments.ts';
import { countVolumesJob } from './count-volumes.ts';
import { deliverNotifications } from './deliver-notifications.ts';
import { drainCallbacks } from './drain-callbacks.ts';
import { expirePayments } from './expire-payments.ts';
import { migrateDatabase } from './migrate-database.ts';
import { purgeExpired } from './purge-expired.ts';
import { reconcile } from './reconcile.ts';
import { relayOutbox } from './relay-outbox.ts';
import { reportAlarms } from './report-alarms.ts';
import { watchBacklogs } from './watch-backlogs.ts';

/** Every job that a worker runs. */
export const jobs: readonly Job<Gateway>[] = [
  drainCallbacks,
  reconcile,
  catchUpPayments,
  deliverNotifications,
  relayOutbox,
  countVolumesJob,
  reportAlarms,
  watchBacklogs,
  expirePayments,
  purgeExpired,
  migrateDatabase,
];
