/** The jobs that Agenda runs. None carries data: what is to be done is in our own documents. */
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

/** What Agenda keeps beside a job's name. */
export type JobData = undefined;

/** What a worker can be notified of, so that it need not wait for the job's next run. */
export const allWork = ['callbacks', 'pings', 'reconcile', 'notifications'] as const;
export type Work = (typeof allWork)[number];

/** The job that does it. */
export const jobOfWork: Readonly<Record<Work, JobName>> = {
  callbacks: 'drain-callbacks',
  pings: 'drain-callbacks',
  reconcile: 'reconcile',
  notifications: 'deliver-notifications',
};
