/** Every metric of the service, in one place: its name, what it says, its labels. README.md of this folder shows the same. */

/** What may tell series apart. Each has few values, which no merchant, payer or payment chooses. */
export type Label = 'provider' | 'outcome' | 'mode' | 'call' | 'code' | 'job' | 'kind' | 'lane' | 'queue' | 'role';

export interface MetricDefinition {
  /** What counts up ends in `_total`, what is measured in seconds in `_seconds`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly Label[];
  /** All that a label can be, where the code itself says so. */
  readonly values?: Readonly<Partial<Record<Label, readonly string[]>>>;
  /** Of a histogram: upper bounds in seconds. */
  readonly buckets?: readonly number[];
  /** How the values of a host's processes become one. Absent: their sum. */
  readonly aggregator?: 'max';
}

/** For what we do ourselves. */
const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** For what somebody else takes part in, up to the time limit of a call. */
const far = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** For what waits for its turn. */
const waiting = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];

const modes = ['test', 'live'] as const;
/** `unknown`: nothing says it yet. */
const anyMode = [...modes, 'unknown'] as const;

export const metricList = {
  callbacks: {
    name: 'gateway_callbacks_total',
    type: 'counter',
    help: 'Callbacks by what they were answered: accepted, duplicate, ignored, handshake, invalid_signature, stale, malformed, try_later, forbidden',
    labels: ['provider', 'mode', 'outcome'],
    values: {
      mode: anyMode,
      outcome: [
        'accepted',
        'duplicate',
        'ignored',
        'handshake',
        'invalid_signature',
        'stale',
        'malformed',
        'try_later',
        'forbidden',
      ],
    },
  },
  callbackAckSeconds: {
    name: 'gateway_callback_ack_seconds',
    type: 'histogram',
    help: 'From a whole callback to its answer',
    labels: ['provider'],
    buckets: quick,
  },
  callbackVerificationSeconds: {
    name: 'gateway_callback_verification_seconds',
    type: 'histogram',
    help: 'What verifying a callback takes, without the wait for its turn',
    labels: ['provider'],
    buckets: quick,
  },
  events: {
    name: 'gateway_events_total',
    type: 'counter',
    help: 'Events of callbacks by their effect: applied, nothing (it was known already), refused (it does not fit), retry (they are tried again)',
    labels: ['provider', 'mode', 'outcome'],
    values: { mode: anyMode, outcome: ['applied', 'nothing', 'refused', 'retry'] },
  },
  unknownStatuses: {
    name: 'gateway_unknown_statuses_total',
    type: 'counter',
    help: 'Statuses and decline codes of a provider that its adapter does not know, by what they are about',
    labels: ['provider', 'kind'],
    values: { kind: ['payment', 'refund', 'chargeback', '3ds', 'token', 'ping', 'decline'] },
  },
  submissions: {
    name: 'gateway_submissions_total',
    type: 'counter',
    help: 'Payments submitted to a provider by its answer: succeeded, failed, pending, unknown, not_sent',
    labels: ['provider', 'mode', 'outcome'],
    values: { mode: modes, outcome: ['succeeded', 'failed', 'pending', 'unknown', 'not_sent'] },
  },
  attemptsEnded: {
    name: 'gateway_attempts_ended_total',
    type: 'counter',
    help: 'Attempts by their end, no matter who reported it: succeeded, failed, expired',
    labels: ['provider', 'mode', 'outcome'],
    values: { mode: modes, outcome: ['succeeded', 'failed', 'expired'] },
  },
  payments: {
    name: 'gateway_payments_total',
    type: 'counter',
    help: 'Payment requests by the states they came to: created, pending, paid, failed, refunded, expired (or cancelled)',
    labels: ['mode', 'outcome'],
    values: { mode: modes, outcome: ['created', 'pending', 'paid', 'failed', 'refunded', 'expired'] },
  },
  providerCallSeconds: {
    name: 'gateway_provider_call_seconds',
    type: 'histogram',
    help: 'HTTP requests to a provider by the class of its answer (2xx, 4xx, 5xx), not_sent or no_answer',
    labels: ['provider', 'mode', 'call', 'outcome'],
    buckets: far,
  },
  breakersOpen: {
    name: 'gateway_breakers_open',
    type: 'gauge',
    help: 'Processes that spare a provider because it cannot be reached',
    labels: ['provider', 'mode'],
  },
  receiversSpared: {
    name: 'gateway_receivers_spared',
    type: 'gauge',
    help: 'Receivers of notifications that are spared because they cannot be reached, added up over the workers',
    labels: [],
  },
  deliveries: {
    name: 'gateway_notification_deliveries_total',
    type: 'counter',
    help: 'Attempts to deliver a notification: delivered, failed (tried again), exhausted (the last one failed), gone (410), disabled (nothing was sent: its endpoint is), cut (by a stop), unsigned, lost (the result could not be written)',
    labels: ['mode', 'outcome'],
    values: {
      mode: modes,
      outcome: ['delivered', 'failed', 'exhausted', 'gone', 'disabled', 'cut', 'unsigned', 'lost'],
    },
  },
  firstAttemptLagSeconds: {
    name: 'gateway_notification_first_attempt_lag_seconds',
    type: 'histogram',
    help: 'From the moment a notification is made to its first attempt; repetitions are not in it',
    labels: ['mode'],
    buckets: waiting,
  },
  httpProblems: {
    name: 'gateway_http_problems_total',
    type: 'counter',
    help: 'Requests that were answered with an error, by its code: RATE001 is the rate limit, SYS001 a fault of ours, SYS002 a database that does not answer',
    labels: ['code'],
  },
  alarmsRaised: {
    name: 'gateway_alarms_raised_total',
    type: 'counter',
    help: 'Alarms raised, the repetitions of one included',
    labels: ['kind'],
  },
  leaseExpiries: {
    name: 'gateway_lease_expiries_total',
    type: 'counter',
    help: 'Leases that ended without a result, because their worker died or stood still: inbox, notifications, reconcile',
    labels: ['queue'],
    values: { queue: ['inbox', 'notifications', 'reconcile'] },
  },
  jobRuns: {
    name: 'gateway_job_runs_total',
    type: 'counter',
    help: 'Runs of a job: done, failed',
    labels: ['job', 'outcome'],
    values: { outcome: ['done', 'failed'] },
  },
  jobSeconds: {
    name: 'gateway_job_seconds',
    type: 'histogram',
    help: 'What a run of a job takes',
    labels: ['job'],
    buckets: waiting,
  },
  laneDepth: {
    name: 'gateway_write_lane_depth',
    type: 'gauge',
    help: 'The most documents of a process that waited in a write lane at once since the last scrape',
    labels: ['lane'],
    aggregator: 'max',
  },
  databaseRoundTripSeconds: {
    name: 'gateway_database_round_trip_seconds',
    type: 'histogram',
    help: 'What the database takes to answer a ping, asked every second by the API and the operators’ listener',
    labels: [],
    buckets: quick,
  },
  databaseUp: {
    name: 'gateway_database_up',
    type: 'gauge',
    help: 'Whether the database answered the latest ping of this host: 1 or 0',
    labels: [],
  },
  backlogRead: {
    name: 'gateway_backlog_read',
    type: 'gauge',
    help: 'Whether the database said in time what waits: 1, or 0, and the metrics below are left out',
    labels: [],
  },
  queuePending: {
    name: 'gateway_queue_pending',
    type: 'gauge',
    help: 'What waits in a queue, due or not, counted up to 10,000: inbox, pings, reconcile, notifications, outbox',
    labels: ['queue'],
  },
  queueDue: {
    name: 'gateway_queue_due',
    type: 'gauge',
    help: 'What is due in a queue, counted up to 10,000',
    labels: ['queue'],
  },
  queueOldestDueSeconds: {
    name: 'gateway_queue_oldest_due_seconds',
    type: 'gauge',
    help: 'For how long the oldest in a queue has been due; 0 where nothing is. Notifications whose receiver fails are left out',
    labels: ['queue'],
  },
  attemptsOpen: {
    name: 'gateway_attempts_open',
    type: 'gauge',
    help: 'Payments that wait for the outcome of an attempt, counted up to 10,000',
    labels: ['provider'],
  },
  paymentsCreated: {
    name: 'gateway_payments_created',
    type: 'gauge',
    help: 'Payment requests that nobody has tried to pay, counted up to 10,000',
    labels: [],
  },
  deadLetters: {
    name: 'gateway_dead_letters',
    type: 'gauge',
    help: 'Callbacks that need review, counted up to 10,000: dead_letter, or malformed (genuine, but unreadable)',
    labels: ['provider', 'outcome'],
  },
  alarmsOpen: {
    name: 'gateway_alarms_open',
    type: 'gauge',
    help: 'Alarms that are open, acknowledged ones not among them',
    labels: ['kind'],
  },
  hostsUp: {
    name: 'gateway_hosts_up',
    type: 'gauge',
    help: 'Hosts that use the database now',
    labels: [],
  },
  processesUp: {
    name: 'gateway_processes_up',
    type: 'gauge',
    help: 'Processes of this host that are up and not blocked: api, worker, ops',
    labels: ['role'],
  },
  processesWanted: {
    name: 'gateway_processes_wanted',
    type: 'gauge',
    help: 'Processes that this host is to have: api, worker, ops',
    labels: ['role'],
  },
  processesEnded: {
    name: 'gateway_processes_ended_total',
    type: 'counter',
    help: 'Processes of this host that ended by themselves, or were killed because they were blocked; each is replaced',
    labels: ['role'],
  },
  processesSilent: {
    name: 'gateway_processes_silent',
    type: 'gauge',
    help: 'Processes of this host that did not answer this scrape in time: what they had counted before is shown',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;
