import type { Job } from '../../core/jobs/index.ts';
import { askProviders } from './ask-providers.ts';
import { deliverNotifications } from './deliver-notifications.ts';
import { drainCallbacks } from './drain-callbacks.ts';
import { expirePayments } from './expire-payments.ts';
import { reconcile } from './reconcile.ts';
import { relayOutbox } from './relay-outbox.ts';
import { retain } from './retain.ts';

/** Every job that a worker runs. */
export const jobs: readonly Job[] = [
  drainCallbacks,
  askProviders,
  reconcile,
  deliverNotifications,
  relayOutbox,
  expirePayments,
  retain,
];
