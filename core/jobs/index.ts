/** The jobs, the board they stand on, and the queue that runs them through Agenda. */
export { createJobBoard, jobDocuments, type JobBoard, type JobDocument } from './recurring-jobs.ts';
export type { Job } from './job.ts';
export { jobNames, jobOfWork, type JobData, type JobName } from './names.ts';
export { createQueue, type Queue, type QueueSetup } from './queue.ts';
