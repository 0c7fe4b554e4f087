/** The jobs that Agenda runs. A job carries no data, because our own documents say what work is due. */
export const jobNames = [
  'drain-callbacks',
  'reconcile',
  'catch-up-payments',
  'deliver-notifications',
  'relay-outbox',
  'count-volumes',
  'report-alarms',
  'watch-backlogs',
  'expire-payments',
  'purge-expired',
  'migrate-database',
] as const;
export type JobName = (typeof jobNames)[number];

/** The data that Agenda stores for a job, in addition to its name. */
export type JobData = undefined;

/** The kinds of work that workers are notified of, so that the work does not wait for the job's next interval. */
export const allWork = ['callbacks', 'pings', 'reconcile', 'notifications'] as const;
export type Work = (typeof allWork)[number];

/** The job that does each kind of work. */
export const jobOfWork: Readonly<Record<Work, JobName>> = {
  callbacks: 'drain-callbacks',
  pings: 'drain-callbacks',
  reconcile: 'reconcile',
  notifications: 'deliver-notifications',
};
