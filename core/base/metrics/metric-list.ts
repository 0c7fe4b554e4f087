/** All metrics of the service: name, help text and labels. The README of this folder shows the same table. */

/** The labels. Each has few values, which no merchant, payer or payment can choose. */
export type Label =
  'account' | 'provider' | 'outcome' | 'mode' | 'call' | 'code' | 'job' | 'kind' | 'lane' | 'lack' | 'queue' | 'role';

export interface MetricDefinition {
  /** Counters end in `_total`, times in `_seconds`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly Label[];
  /** All possible values of a label, if the code determines them. */
  readonly values?: Readonly<Partial<Record<Label, readonly string[]>>>;
  /** For a histogram: upper bounds in seconds. */
  readonly buckets?: readonly number[];
  /** How the values of a host's processes are combined. Absent: their sum. */
  readonly aggregator?: 'max';
}

/** Buckets for our own work. */
const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Buckets for calls to other systems, up to the time limit of a call. */
const far = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Buckets for waiting times. */
const waiting = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];

const modes = ['test', 'live'] as const;
/** `unknown`: the mode is not known yet. */
const anyMode = [...modes, 'unknown'] as const;

export const metricList = {
  callbacks: {
    name: 'gateway_callbacks_total',
    type: 'counter',
    help: 'Callbacks by the result of receiving them: accepted, duplicate, ignored, handshake, invalid_signature, stale, malformed, try_later, forbidden',
    labels: ['provider', 'account', 'mode', 'outcome'],
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
  callbacksRefused: {
    name: 'gateway_callbacks_refused_total',
    type: 'counter',
    help: 'Callbacks that were refused because nothing proves them, or because of their address, by what they lacked',
    labels: ['provider', 'lack'],
  },
  callbackAckSeconds: {
    name: 'gateway_callback_ack_seconds',
    type: 'histogram',
    help: 'Time from the complete callback request to its response',
    labels: ['provider'],
    buckets: quick,
  },
  callbackVerificationSeconds: {
    name: 'gateway_callback_verification_seconds',
    type: 'histogram',
    help: 'Time to verify a callback, without the time that it waits for a verification slot',
    labels: ['provider'],
    buckets: quick,
  },
  events: {
    name: 'gateway_events_total',
    type: 'counter',
    help: 'Events of callbacks by their effect: applied, nothing (already known), refused (not valid for the payment), retry (will be retried)',
    labels: ['provider', 'mode', 'outcome'],
    values: { mode: anyMode, outcome: ['applied', 'nothing', 'refused', 'retry'] },
  },
  unknownStatuses: {
    name: 'gateway_unknown_statuses_total',
    type: 'counter',
    help: 'Provider statuses and decline codes that the adapter does not know, by the kind of object',
    labels: ['provider', 'kind'],
    values: { kind: ['payment', 'refund', 'chargeback', '3ds', 'token', 'ping', 'decline'] },
  },
  submissions: {
    name: 'gateway_submissions_total',
    type: 'counter',
    help: 'Payments submitted to a provider, by the result: succeeded, failed, pending, unknown, not_sent',
    labels: ['provider', 'account', 'mode', 'outcome'],
    values: { mode: modes, outcome: ['succeeded', 'failed', 'pending', 'unknown', 'not_sent'] },
  },
  attemptsEnded: {
    name: 'gateway_attempts_ended_total',
    type: 'counter',
    help: 'Attempts that ended, by the outcome and independent of the source of the report: succeeded, failed, expired',
    labels: ['provider', 'account', 'mode', 'outcome'],
    values: { mode: modes, outcome: ['succeeded', 'failed', 'expired'] },
  },
  payments: {
    name: 'gateway_payments_total',
    type: 'counter',
    help: 'Payment requests that reached a state, by the state: created, pending, paid, failed, refunded, expired (or cancelled)',
    labels: ['mode', 'outcome'],
    values: { mode: modes, outcome: ['created', 'pending', 'paid', 'failed', 'refunded', 'expired'] },
  },
  providerCallSeconds: {
    name: 'gateway_provider_call_seconds',
    type: 'histogram',
    help: 'HTTP requests to a provider, by the class of the response (2xx, 4xx, 5xx), not_sent or no_answer',
    labels: ['provider', 'mode', 'call', 'outcome'],
    buckets: far,
  },
  providerCalls: {
    name: 'gateway_provider_calls_total',
    type: 'counter',
    help: 'Calls to a provider, each with all of its HTTP requests, by the result: answered, failed (no usable answer) or refused (the provider refused our account or keys)',
    labels: ['provider', 'account', 'mode', 'outcome'],
    values: { mode: modes, outcome: ['answered', 'failed', 'refused'] },
  },
  breakersOpen: {
    name: 'gateway_breakers_open',
    type: 'gauge',
    help: 'Processes whose circuit breaker for an account is open because the provider cannot be reached',
    labels: ['provider', 'account', 'mode'],
  },
  receiversSpared: {
    name: 'gateway_receivers_spared',
    type: 'gauge',
    help: 'Notification receivers that are paused (circuit open) because they cannot be reached, summed over the workers',
    labels: [],
  },
  deliveries: {
    name: 'gateway_notification_deliveries_total',
    type: 'counter',
    help: 'Attempts to deliver a notification: delivered, failed (will be retried), exhausted (the last attempt failed), gone (410), disabled (not sent, because the endpoint is disabled), cut (interrupted by a shutdown), unsigned, lost (the result could not be stored)',
    labels: ['mode', 'outcome'],
    values: {
      mode: modes,
      outcome: ['delivered', 'failed', 'exhausted', 'gone', 'disabled', 'cut', 'unsigned', 'lost'],
    },
  },
  firstAttemptLagSeconds: {
    name: 'gateway_notification_first_attempt_lag_seconds',
    type: 'histogram',
    help: 'Time from the creation of a notification to its first attempt; retries are not included',
    labels: ['mode'],
    buckets: waiting,
  },
  httpProblems: {
    name: 'gateway_http_problems_total',
    type: 'counter',
    help: 'Requests that were answered with an error, by its code: RATE001 is the rate limit, SYS001 an internal error, SYS002 a database that does not answer',
    labels: ['code'],
  },
  alarmsRaised: {
    name: 'gateway_alarms_raised_total',
    type: 'counter',
    help: 'Alarms raised, including repeated raises of one alarm',
    labels: ['kind'],
  },
  leaseExpiries: {
    name: 'gateway_lease_expiries_total',
    type: 'counter',
    help: 'Leases that expired without a result because their worker died or was blocked: inbox, notifications, reconcile',
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
    help: 'Duration of a run of a job',
    labels: ['job'],
    buckets: waiting,
  },
  laneDepth: {
    name: 'gateway_write_lane_depth',
    type: 'gauge',
    help: 'Maximum number of documents that waited in one write batcher of a process since the last scrape',
    labels: ['lane'],
    aggregator: 'max',
  },
  databaseRoundTripSeconds: {
    name: 'gateway_database_round_trip_seconds',
    type: 'histogram',
    help: 'Time of the database to answer a ping, sent every second by an API process with requests, and otherwise every 10 s by it and the operators’ listener',
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
    help: 'Whether the backlog could be read in time: 1, or 0, and then the metrics below are left out',
    labels: [],
  },
  queuePending: {
    name: 'gateway_queue_pending',
    type: 'gauge',
    help: 'Entries that wait in a queue, due or not, counted up to 10,000: inbox, pings, reconcile, notifications, outbox',
    labels: ['queue'],
  },
  queueDue: {
    name: 'gateway_queue_due',
    type: 'gauge',
    help: 'Entries that are due in a queue, counted up to 10,000',
    labels: ['queue'],
  },
  queueOldestDueSeconds: {
    name: 'gateway_queue_oldest_due_seconds',
    type: 'gauge',
    help: 'How long the oldest due entry of a queue has been due; 0 if nothing is due. Notifications to a failing receiver are left out',
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
    help: 'Payment requests without an attempt to pay, counted up to 10,000',
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
    help: 'Alarms that are open, without acknowledged alarms',
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
    help: 'Processes that this host should run: api, worker, ops',
    labels: ['role'],
  },
  processesEnded: {
    name: 'gateway_processes_ended_total',
    type: 'counter',
    help: 'Processes of this host that exited unexpectedly, or were killed because they were blocked; each is replaced',
    labels: ['role'],
  },
  processesSilent: {
    name: 'gateway_processes_silent',
    type: 'gauge',
    help: 'Processes of this host that did not answer this scrape in time: their previous values are shown',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;
