import type { CommandEntry } from '../command.ts';

/** Every command, in the order of the help. Its file is imported when it is called: many import half the gateway. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'Start the service: MongoDB where none is configured, the API, the workers, the sandboxes',
    load: async () => (await import('./start.ts')).start,
  },
  {
    name: 'api',
    summary: 'Start the API alone, and the sandboxes; the workers are other processes',
    load: async () => (await import('./start.ts')).startApi,
  },
  {
    name: 'worker',
    summary: 'Start the workers alone',
    load: async () => (await import('./start.ts')).startWorker,
  },
  {
    name: 'mongod',
    summary: 'Start a MongoDB for development, which gateway api and gateway worker on its data folder find',
    load: async () => (await import('./start.ts')).startDatabase,
  },
  {
    name: 'demo',
    summary: 'Show it: start everything with a temporary database, pay in every way, verify every notification',
    load: async () => (await import('./demo.ts')).demo,
  },
  {
    name: 'keys create',
    summary: 'Make an API key, and its owner where there is none of that name',
    load: async () => (await import('./keys-create.ts')).keysCreate,
  },
  {
    name: 'keys list',
    summary: 'List API keys, the oldest first, without the keys themselves',
    load: async () => (await import('./keys-list.ts')).keysList,
  },
  {
    name: 'keys revoke',
    summary: 'End an API key, for good and within 2 s',
    operands: ['<key id>'],
    load: async () => (await import('./keys-revoke.ts')).keysRevoke,
  },
  {
    name: 'keys rotate',
    summary: 'Replace an API key by a new one with the same settings',
    operands: ['<key id>'],
    load: async () => (await import('./keys-rotate.ts')).keysRotate,
  },
  {
    name: 'keys limit',
    summary: 'Set how many requests a minute an API key may make, in force within 2 s',
    operands: ['<key id>', '<number>'],
    load: async () => (await import('./keys-limit.ts')).keysLimit,
  },
  {
    name: 'owners set',
    summary: "Set an owner's default addresses and reporting currency",
    operands: ['<name>'],
    load: async () => (await import('./owners-set.ts')).ownersSet,
  },
  {
    name: 'secrets rotate',
    summary: "Replace an owner's webhook secret; both sign until the overlap has passed",
    operands: ['<owner name>'],
    load: async () => (await import('./secrets-rotate.ts')).secretsRotate,
  },
  {
    name: 'secrets reencrypt',
    summary:
      'Encrypt what an earlier encryption key encrypted under the first one; interrupted, it goes on where it was',
    load: async () => (await import('./secrets-reencrypt.ts')).secretsReencrypt,
  },
  {
    name: 'clients rebuild-sums',
    summary: 'Prove what is kept of the deposits of clients against their payments, and mend what differs',
    load: async () => (await import('./clients-rebuild-sums.ts')).clientsRebuildSums,
  },
  {
    name: 'alarms list',
    summary: 'List what needs an operator, the latest first: what is open or acknowledged',
    load: async () => (await import('./alarms.ts')).alarmsList,
  },
  {
    name: 'alarms show',
    summary: 'Show an alarm: what it means, why it was raised, what to do',
    operands: ['<alarm id>'],
    load: async () => (await import('./alarms.ts')).alarmsShow,
  },
  {
    name: 'alarms ack',
    summary: 'Say that somebody looks after an alarm: no reminder comes any more',
    operands: ['<alarm id>'],
    load: async () => (await import('./alarms.ts')).alarmsAck,
  },
  {
    name: 'alarms resolve',
    summary: 'Say that the cause of an alarm is gone: it opens anew where it is raised again',
    operands: ['<alarm id>'],
    load: async () => (await import('./alarms.ts')).alarmsResolve,
  },
  {
    name: 'payments reconcile',
    summary: 'Ask the providers of a payment about it now, and show what comes of it',
    operands: ['<payment id>'],
    load: async () => (await import('./payments-reconcile.ts')).paymentsReconcile,
  },
  {
    name: 'adapters',
    summary: 'List the adapters: state, payments that are open, the latest changes',
    load: async () => (await import('./adapters.ts')).adaptersList,
  },
  {
    name: 'adapters on',
    summary: 'Turn an adapter on: it takes new payments',
    operands: ['<name>'],
    load: async () => (await import('./adapters.ts')).adaptersOn,
  },
  {
    name: 'adapters drain',
    summary: 'Drain an adapter: no new payments; callbacks, returns, reconciliation and refunds go on',
    operands: ['<name>'],
    load: async () => (await import('./adapters.ts')).adaptersDrain,
  },
  {
    name: 'adapters off',
    summary: 'Turn an adapter off: its callbacks are answered 404',
    operands: ['<name>'],
    load: async () => (await import('./adapters.ts')).adaptersOff,
  },
  {
    name: 'adapters table',
    summary: 'Print what the adapters of this repository can: code, input, methods, routes, abilities, style',
    load: async () => (await import('./adapters-table.ts')).adaptersTableCommand,
  },
  {
    name: 'routes explain',
    summary: 'Explain which route rule a payment takes, and why the others are skipped',
    load: async () => (await import('./routes-explain.ts')).routesExplain,
  },
  {
    name: 'trigger',
    summary: 'Let a running sandbox send a callback about a payment, signed as its provider does',
    operands: ['<adapter>', '<event[,event…]>'],
    load: async () => (await import('./trigger.ts')).trigger,
  },
  {
    name: 'vectors',
    summary: 'Run recorded samples of a provider against its adapter, and show every difference',
    operands: ['<adapter>', '<file.json>…'],
    manyOperands: true,
    load: async () => (await import('./vectors.ts')).vectors,
  },
  {
    name: 'replay',
    summary: 'Run stored callbacks through a candidate version of an adapter, and show what it would read differently',
    load: async () => (await import('./replay.ts')).replay,
  },
  {
    name: 'doctor',
    summary: 'Check config, options, secrets, reachability, contract versions, callback addresses and the clock',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'new-adapter',
    summary: 'Write the package of a new adapter: it compiles, and its tests say what is yet to be decided',
    operands: ['<name>'],
    load: async () => (await import('./new-adapter.ts')).newAdapter,
  },
  {
    name: 'config print',
    summary: 'Print the settings in force, secrets hidden',
    load: async () => (await import('./config-print.ts')).configPrint,
  },
];
