/** The jobs that Agenda runs. None carries data: our own documents say what is to be done. */
export const jobNames = [
  'drain-callbacks',
  'reconcile',
  'deliver-notifications',
  'relay-outbox',
  'count-deposits',
  'report-alarms',
  'watch-backlogs',
  'expire-payments',
  'purge-expired',
] as const;
export type JobName = (typeof jobNames)[number];

/** The data that Agenda stores for a job, in addition to its name. */
export type JobData = undefined;

/** The kinds of work that a worker is notified of, so that it need not wait for the next run of the job. */
export const allWork = ['callbacks', 'pings', 'reconcile', 'notifications'] as const;
export type Work = (typeof allWork)[number];

/** The job that does each kind of work. */
export const jobOfWork: Readonly<Record<Work, JobName>> = {
  callbacks: 'drain-callbacks',
  pings: 'drain-callbacks',
  reconcile: 'reconcile',
  notifications: 'deliver-notifications',
};
