/** The jobs that Agenda runs. None carries data: what is to be done stands in our own documents. */
import type { Work } from '../gateway.ts';

export const jobNames = [
  'drain-callbacks',
  'ask-providers',
  'deliver-notifications',
  'relay-outbox',
  'reconcile',
  'expire-payments',
  'retain',
] as const;
export type JobName = (typeof jobNames)[number];

/** What Agenda keeps beside a job's name. */
export type JobData = undefined;

/** Which job a wake-up means. */
export const jobOfWork: Readonly<Record<Work, JobName>> = {
  callbacks: 'drain-callbacks',
  asks: 'ask-providers',
  notifications: 'deliver-notifications',
};
