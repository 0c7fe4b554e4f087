/** The parts of the product, and which parts each may import. Every part may also import `base` and `contract`. */
export interface Part {
  readonly name: string;
  /** Folders end with a slash; the longest path that fits decides. */
  readonly paths: readonly string[];
  readonly imports: readonly string[];
}

export const parts: readonly Part[] = [
  { name: 'contract', paths: ['core/contract/'], imports: [] },
  { name: 'client', paths: ['core/client/'], imports: [] },
  // A shop package imports the client by its package name.
  { name: 'shops', paths: ['core/client/shops/'], imports: [] },
  { name: 'config', paths: ['config/'], imports: [] },
  { name: 'base', paths: ['core/base/'], imports: [] },
  { name: 'database', paths: ['core/database/'], imports: [] },
  { name: 'engine', paths: ['core/engine/'], imports: ['database'] },
  { name: 'html', paths: ['core/html/'], imports: [] },
  { name: 'http', paths: ['core/http/'], imports: ['engine', 'html'] },
  { name: 'checkout', paths: ['core/checkout/'], imports: ['http', 'html', 'engine'] },
  { name: 'docs', paths: ['core/docs/'], imports: ['http', 'html'] },
  { name: 'portal', paths: ['core/portal/'], imports: ['http', 'html', 'engine', 'database'] },
  { name: 'settlement', paths: ['core/settlement/'], imports: ['engine', 'database'] },
  { name: 'erasure', paths: ['core/erasure/'], imports: ['engine', 'database'] },
  {
    name: 'console',
    paths: ['core/console/'],
    imports: ['portal', 'settlement', 'http', 'html', 'engine', 'database'],
  },
  {
    name: 'composition',
    paths: ['core/gateway.ts', 'core/app.ts'],
    imports: ['checkout', 'docs', 'portal', 'http', 'engine', 'database', 'config'],
  },
  { name: 'jobs', paths: ['workers/jobs/'], imports: ['composition', 'engine'] },
  {
    name: 'supervisor',
    paths: ['workers/supervisor/'],
    imports: ['jobs', 'composition', 'engine', 'database', 'config'],
  },
  {
    name: 'api process',
    paths: ['workers/api.ts'],
    imports: ['supervisor', 'composition', 'http', 'engine', 'database'],
  },
  {
    name: 'other processes',
    paths: ['workers/worker.ts', 'workers/ops.ts', 'workers/console/'],
    imports: ['supervisor', 'jobs', 'composition', 'console', 'settlement', 'portal', 'engine', 'database'],
  },
  {
    name: 'cli',
    paths: ['core/cli/'],
    imports: [
      'supervisor',
      'composition',
      'erasure',
      'settlement',
      'portal',
      'console',
      'http',
      'engine',
      'database',
      'config',
    ],
  },
];

/** Parts that run a payment; the other parts of core are surfaces around them. */
export const coreParts = ['base', 'database', 'engine'] as const;

/** The folders of the engine, from the top down: a folder imports only from folders below it. */
export const engineFolders = [
  'core/engine/migrations/',
  'core/engine/jobs/',
  'core/engine/callbacks/',
  'core/engine/payments/',
  'core/engine/payments/commands/',
  'core/engine/payments/reconcile/',
  'core/engine/payments/read/',
  'core/engine/payments/submit/',
  'core/engine/payments/store/',
  'core/engine/payments/refund/',
  'core/engine/payments/present/',
  'core/engine/payments/commands/',
  'core/engine/payments/reconcile/',
  'core/engine/payments/read/',
  'core/engine/payments/submit/',
  'core/engine/payments/store/',
  'core/engine/payments/refund/',
  'core/engine/payments/present/',
  'core/engine/payments/state/',
  'core/engine/payments/clients/',
  'core/engine/payments/three-ds/',
  'core/engine/payments/record/',
  'core/engine/payments/types/',
  'core/engine/payments/three-ds/',
  'core/engine/payments/record/',
  'core/engine/payments/clients/',
  'core/engine/payments/types/',
  'core/engine/merchants/',
  'core/engine/notifications/',
  'core/engine/access/',
  'core/engine/providers/',
  'core/engine/alarms/',
  'core/engine/secrets/',
  'core/engine/audit/',
] as const;

/** Undefined for a file that is in no part. */
export function partOf(path: string): Part | undefined {
  const fits = parts.flatMap((part) =>
    part.paths.filter((start) => path.startsWith(start)).map((start) => ({ part, start })),
  );
  return fits.sort((a, b) => b.start.length - a.start.length)[0]?.part;
}
