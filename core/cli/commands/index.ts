import type { CommandEntry } from '../command.ts';

/**
 * All commands under the headings of the help, in its order. The file of a command is imported when it is called,
 * because many import half of the gateway.
 */
const groups: Readonly<Record<string, readonly CommandEntry[]>> = {
  Service: [
    {
      name: 'start',
      summary: 'Start the service: the API, the workers, the sandboxes, and MongoDB if none is configured',
      load: async () => (await import('./start.ts')).start,
    },
    {
      name: 'api',
      summary: 'Start only the API and the sandboxes, without workers',
      load: async () => (await import('./start.ts')).startApi,
    },
    {
      name: 'worker',
      summary: 'Start only the workers',
      load: async () => (await import('./start.ts')).startWorker,
    },
    {
      name: 'mongod',
      summary: 'Start a MongoDB for development, which api and worker with the same data folder find',
      load: async () => (await import('./start.ts')).startDatabase,
    },
    {
      name: 'demo',
      summary: 'Start everything with a temporary database, pay in every way, verify every notification',
      load: async () => (await import('./demo.ts')).demo,
    },
    {
      name: 'doctor',
      summary: 'Check config, adapter options, secrets, reachability, versions, callback addresses and the clock',
      load: async () => (await import('./doctor.ts')).doctor,
    },
    {
      name: 'config print',
      summary: 'Print the settings in effect, with secrets hidden',
      load: async () => (await import('./config-print.ts')).configPrint,
    },
    {
      name: 'jobs list',
      summary: 'List the recurring jobs with their latest and next run',
      load: async () => (await import('./jobs.ts')).jobsList,
    },
    {
      name: 'jobs run',
      summary: 'Run a recurring job immediately',
      operands: ['<job>'],
      load: async () => (await import('./jobs.ts')).jobsRun,
    },
    {
      name: 'logs tail',
      summary: 'Follow the log as readable text, for all payments or for one',
      load: async () => (await import('./logs.ts')).logsTail,
    },
  ],
  Payments: [
    {
      name: 'payments find',
      summary: 'Find payments of all merchants by payer, amount, reference, problem and more; export them as CSV',
      operands: ['[text]'],
      load: async () => (await import('./payments.ts')).paymentsFind,
    },
    {
      name: 'payments show',
      summary: 'Show a payment: details, history, amounts, and the next steps with their times',
      operands: ['<payment id>'],
      load: async () => (await import('./payments.ts')).paymentsShow,
    },
    {
      name: 'payments refund',
      summary: 'Refund a payment, in full or in part',
      operands: ['<payment id>'],
      load: async () => (await import('./payments-change.ts')).paymentsRefund,
    },
    {
      name: 'payments cancel',
      summary: 'Cancel a created or failed payment request, or release its reserved money',
      operands: ['<payment id>'],
      load: async () => (await import('./payments-change.ts')).paymentsCancel,
    },
    {
      name: 'payments reconcile',
      summary: 'Check a payment with its providers now, or all payments after a silence of callbacks',
      operands: ['[payment id]'],
      load: async () => (await import('./payments-reconcile.ts')).paymentsReconcile,
    },
    {
      name: 'payments review',
      summary: 'Mark a payment as reviewed: records what was found, and resolves its alarms',
      operands: ['<payment id>'],
      load: async () => (await import('./payments-note.ts')).paymentsReview,
    },
    {
      name: 'payments note',
      summary: 'Add a note to a payment, for other operators',
      operands: ['<payment id>', '<text>'],
      load: async () => (await import('./payments-note.ts')).paymentsNote,
    },
    {
      name: 'disputes list',
      summary: 'List disputes, those to be answered first by their deadline',
      load: async () => (await import('./disputes.ts')).disputesList,
    },
    {
      name: 'settle',
      summary: "Compare a provider's settlement file with our payments: missing rows, amounts, fees, currencies",
      operands: ['<file>'],
      load: async () => (await import('./settle.ts')).settle,
    },
    {
      name: 'payers erase',
      summary: 'Erase the personal data of a payer, by e-mail; amounts and ids stay',
      load: async () => (await import('./payers.ts')).payersErase,
    },
  ],
  Merchants: [
    {
      name: 'owners create',
      summary: 'Create a merchant',
      operands: ['<name>'],
      load: async () => (await import('./owners-create.ts')).ownersCreate,
    },
    {
      name: 'owners list',
      summary: 'List merchants: active keys, last payment, failing endpoints, default addresses',
      load: async () => (await import('./owners-list.ts')).ownersList,
    },
    {
      name: 'owners set',
      summary: "Set a merchant's endpoints, email, currency, notification types and branding",
      operands: ['<name>'],
      load: async () => (await import('./owners-set.ts')).ownersSet,
    },
    {
      name: 'owners remove',
      summary: 'Remove a merchant that has no payments, and revoke its keys',
      operands: ['<name>'],
      load: async () => (await import('./owners-remove.ts')).ownersRemove,
    },
    {
      name: 'owners portal',
      summary: "Create a link that opens a merchant's portal for an hour; list or revoke such links",
      operands: ['[name]'],
      load: async () => (await import('./owners-portal.ts')).ownersPortal,
    },
    {
      name: 'keys create',
      summary: 'Create an API key, and its merchant if the name is new',
      load: async () => (await import('./keys.ts')).keysCreate,
    },
    {
      name: 'keys list',
      summary: 'List API keys, oldest first, without the keys themselves',
      load: async () => (await import('./keys.ts')).keysList,
    },
    {
      name: 'keys revoke',
      summary: 'Revoke an API key permanently; takes effect within 2 s',
      operands: ['<key id>'],
      load: async () => (await import('./keys.ts')).keysRevoke,
    },
    {
      name: 'keys rotate',
      summary: 'Replace an API key with a new key with the same settings',
      operands: ['<key id>'],
      load: async () => (await import('./keys.ts')).keysRotate,
    },
    {
      name: 'keys limit',
      summary: 'Set the rate limit of an API key, in requests per minute; takes effect within 2 s',
      operands: ['<key id>', '<number>'],
      load: async () => (await import('./keys.ts')).keysLimit,
    },
    {
      name: 'secrets rotate',
      summary: "Replace a merchant's webhook secret; both secrets sign during the overlap",
      operands: ['<merchant>'],
      load: async () => (await import('./secrets-rotate.ts')).secretsRotate,
    },
  ],
  'Notifications to merchants': [
    {
      name: 'notifications list',
      summary: 'List notifications to merchants with their attempts, newest first',
      load: async () => (await import('./notifications.ts')).notificationsList,
    },
    {
      name: 'notifications show',
      summary: 'Show a notification: its request, and what the receiver answered to each attempt',
      operands: ['<notification id>'],
      load: async () => (await import('./notifications.ts')).notificationsShow,
    },
    {
      name: 'notifications resend',
      summary: 'Send one or many notifications again',
      operands: ['[id]'],
      load: async () => (await import('./notifications.ts')).notificationsResend,
    },
    {
      name: 'listen',
      summary: "Show a merchant's test events as they happen, and post them to a local address",
      load: async () => (await import('./listen.ts')).listen,
    },
    {
      name: 'endpoints list',
      summary: "List merchants' addresses where notifications fail, longest failing first",
      load: async () => (await import('./endpoints.ts')).endpointsList,
    },
    {
      name: 'endpoints enable',
      summary: 'Enable a disabled address, and send all notifications that were kept for it',
      operands: ['<merchant>', '<origin>'],
      load: async () => (await import('./endpoints.ts')).endpointsEnable,
    },
    {
      name: 'endpoints disable',
      summary: 'Stop notifications to an address of a merchant; new notifications are kept',
      operands: ['<merchant>', '<origin>'],
      load: async () => (await import('./endpoints.ts')).endpointsDisable,
    },
    {
      name: 'endpoints test',
      summary:
        "Send a test event to a merchant's default address or another one; a delivery enables a disabled address",
      operands: ['<merchant>', '[address]'],
      load: async () => (await import('./endpoints.ts')).endpointsTest,
    },
  ],
  'Adapters and callbacks': [
    {
      name: 'adapters',
      summary: 'List the adapters: state, open payments, latest changes',
      load: async () => (await import('./adapters.ts')).adaptersList,
    },
    {
      name: 'adapters on',
      summary: 'Turn an adapter on: it accepts new payments',
      operands: ['<name>'],
      load: async () => (await import('./adapters.ts')).adaptersOn,
    },
    {
      name: 'adapters drain',
      summary: 'Drain an adapter: no new payments; callbacks, returns, reconciliation and refunds continue',
      operands: ['<name>'],
      load: async () => (await import('./adapters.ts')).adaptersDrain,
    },
    {
      name: 'adapters off',
      summary: 'Turn an adapter off: its callbacks are answered with 404',
      operands: ['<name>'],
      load: async () => (await import('./adapters.ts')).adaptersOff,
    },
    {
      name: 'accounts list',
      summary: 'List the accounts of all adapters or of one: state, merchants, currencies',
      operands: ['[adapter]'],
      load: async () => (await import('./accounts.ts')).accountsList,
    },
    {
      name: 'accounts show',
      summary: 'Show an account: its settings and options, with secrets hidden',
      operands: ['<account>'],
      load: async () => (await import('./accounts.ts')).accountsShow,
    },
    {
      name: 'accounts add',
      summary: 'Add an account to an adapter: it serves no merchant until merchants are assigned',
      operands: ['<account>'],
      load: async () => (await import('./accounts.ts')).accountsAdd,
    },
    {
      name: 'accounts set',
      summary: 'Change the options, merchants, currencies or fee of an account',
      operands: ['<account>'],
      load: async () => (await import('./accounts.ts')).accountsSet,
    },
    {
      name: 'accounts check',
      summary: 'Ask the provider whether an account is ready for payments',
      operands: ['<account>'],
      load: async () => (await import('./accounts.ts')).accountsCheck,
    },
    {
      name: 'accounts on',
      summary: 'Turn an account on: it accepts new payments',
      operands: ['<account>'],
      load: async () => (await import('./accounts.ts')).accountsOn,
    },
    {
      name: 'accounts drain',
      summary: 'Drain an account: no new payments; callbacks, reconciliation and refunds continue',
      operands: ['<account>'],
      load: async () => (await import('./accounts.ts')).accountsDrain,
    },
    {
      name: 'accounts off',
      summary: 'Turn an account off: its callbacks are answered with 404',
      operands: ['<account>'],
      load: async () => (await import('./accounts.ts')).accountsOff,
    },
    {
      name: 'accounts remove',
      summary: 'Remove an account on which no money depends',
      operands: ['<account>'],
      load: async () => (await import('./accounts.ts')).accountsRemove,
    },
    {
      name: 'adapters table',
      summary: 'Print a table of the adapters of this repository and their abilities',
      load: async () => (await import('./adapters-table.ts')).adaptersTableCommand,
    },
    {
      name: 'routes explain',
      summary: 'Explain which route rule applies to a payment, and why the others do not',
      load: async () => (await import('./routes-explain.ts')).routesExplain,
    },
    {
      name: 'inbox list',
      summary: 'List callbacks that could not be applied, newest first, with the reason',
      load: async () => (await import('./inbox.ts')).inboxList,
    },
    {
      name: 'inbox refused',
      summary: 'List refused callbacks, such as forged ones, by adapter and sender',
      load: async () => (await import('./inbox.ts')).inboxRefused,
    },
    {
      name: 'inbox show',
      summary: 'Show a callback: its events, and the original message with secrets hidden',
      operands: ['<callback id>'],
      load: async () => (await import('./inbox.ts')).inboxShow,
    },
    {
      name: 'inbox requeue',
      summary: 'Apply callbacks again',
      operands: ['<callback id>…'],
      manyOperands: true,
      load: async () => (await import('./inbox.ts')).inboxRequeue,
    },
    {
      name: 'inbox discard',
      summary: 'Discard callbacks that could not be applied',
      operands: ['<callback id>…'],
      manyOperands: true,
      load: async () => (await import('./inbox.ts')).inboxDiscard,
    },
    {
      name: 'trigger',
      summary: 'Make a running sandbox send a signed callback about a payment',
      operands: ['<adapter>', '<event[,event…]>'],
      load: async () => (await import('./trigger.ts')).trigger,
    },
    {
      name: 'vectors',
      summary: 'Run recorded samples of a provider against its adapter, and show all differences',
      operands: ['<adapter>', '<file.json>…'],
      manyOperands: true,
      load: async () => (await import('./vectors.ts')).vectors,
    },
    {
      name: 'replay',
      summary: 'Run stored callbacks through a candidate version of an adapter, and show the differences',
      load: async () => (await import('./replay.ts')).replay,
    },
    {
      name: 'new-adapter',
      summary: 'Create the package of a new adapter: it compiles, and its tests list the open decisions',
      operands: ['<name>'],
      load: async () => (await import('./new-adapter.ts')).newAdapter,
    },
  ],
  Operators: [
    {
      name: 'alarms list',
      summary: 'List open and acknowledged alarms, latest first',
      load: async () => (await import('./alarms.ts')).alarmsList,
    },
    {
      name: 'alarms show',
      summary: 'Show an alarm: its meaning, its reason, and what to do',
      operands: ['<alarm id>'],
      load: async () => (await import('./alarms.ts')).alarmsShow,
    },
    {
      name: 'alarms ack',
      summary: 'Acknowledge an alarm: stops its reminders',
      operands: ['<alarm id>'],
      load: async () => (await import('./alarms.ts')).alarmsAck,
    },
    {
      name: 'alarms resolve',
      summary: 'Resolve an alarm whose cause is gone; if it is raised again, it reopens',
      operands: ['<alarm id>'],
      load: async () => (await import('./alarms.ts')).alarmsResolve,
    },
    {
      name: 'operators create',
      summary: "Create a key for an operator, for the operators' listener",
      operands: ['<name>'],
      load: async () => (await import('./operators.ts')).operatorsCreate,
    },
    {
      name: 'operators list',
      summary: "List operators' keys, oldest first, without the keys themselves",
      load: async () => (await import('./operators.ts')).operatorsList,
    },
    {
      name: 'operators revoke',
      summary: "Revoke an operator's key permanently; takes effect within 2 s",
      operands: ['<key id>'],
      load: async () => (await import('./operators.ts')).operatorsRevoke,
    },
    {
      name: 'audit list',
      summary: 'List the audit log, latest first: who, from where, why, before and after',
      load: async () => (await import('./audit.ts')).auditList,
    },
    {
      name: 'audit verify',
      summary: 'Verify that no entry of the audit log was changed, added or removed',
      load: async () => (await import('./audit.ts')).auditVerify,
    },
  ],
  Database: [
    {
      name: 'database migrate',
      summary: 'Move the database to the schema version of this version, while the service runs',
      load: async () => (await import('./database-migrate.ts')).databaseMigrate,
    },
    {
      name: 'database shard',
      summary: 'Shard the collections that grow with payments on a sharded cluster',
      load: async () => (await import('./database-shard.ts')).databaseShard,
    },
    {
      name: 'secrets reencrypt',
      summary: 'Re-encrypt all values of earlier encryption keys with the first key; resumes after an interruption',
      load: async () => (await import('./secrets-reencrypt.ts')).secretsReencrypt,
    },
    {
      name: 'clients rebuild-sums',
      summary: 'Check the deposit sums of clients against their payments, and correct differences',
      load: async () => (await import('./clients-rebuild-sums.ts')).clientsRebuildSums,
    },
  ],
};

/** All commands, in the order of the help. */
export const commands: readonly CommandEntry[] = Object.entries(groups).flatMap(([group, entries]) =>
  entries.map((entry) => ({ ...entry, group })),
);
