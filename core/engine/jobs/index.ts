/** The names and types of jobs, the recurring jobs, and the queue that runs them through Agenda. */
export {
  createRecurringJobs,
  jobCollection,
  jobDocuments,
  type JobDocument,
  type RecurringJobs,
} from './recurring-jobs.ts';
export type { Job, WorkDone } from './job.ts';
export { createJobTable, type JobRow, type JobTable } from './job-table.ts';
export { allWork, jobNames, jobOfWork, type JobData, type JobName, type Work } from './names.ts';
export { createQueue, type Queue, type QueueDeps } from './queue.ts';
