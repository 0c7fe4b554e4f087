/** What `npm start` says on its screen. */
import type { LogTarget } from '../../core/base/log/log.ts';
import type { CreatedKey } from '../../core/engine/access/index.ts';
import { firstOwner } from './first-key.ts';
import type { SandboxReport } from './dev/sandboxes.ts';

export interface Started {
  readonly apiUrl: string;
  /** Undefined: there is no listener for operators. */
  readonly opsUrl?: string | undefined;
  /** Undefined: they are other processes. */
  readonly workers: number | undefined;
  readonly sandboxes: readonly SandboxReport[];
  readonly log: LogTarget;
  readonly isProduction: boolean;
  /** Of the first start. */
  readonly firstKey: Pick<CreatedKey, 'key' | 'webhookSecret'> | undefined;
}

function describeLog({ file }: LogTarget): string {
  return `Log: ${file ?? 'standard output'}`;
}

function describeOps(opsUrl: string | undefined): string[] {
  return opsUrl === undefined ? [] : [`Metrics: ${opsUrl}/metrics`, `Console of operators: ${opsUrl}/ops`];
}

/** Of the API, with workers or without: first what a merchant's call needs. */
export function describeStarted(started: Started): string[] {
  const { apiUrl, opsUrl, workers, sandboxes, log } = started;
  const payable = payableOf(sandboxes);
  return [
    `API: ${apiUrl} (${workers === undefined ? 'workers run elsewhere' : countWorkers(workers)})`,
    ...describeKey(started),
    ...(payable ? ['', `To pay ${payable.how}:`, payingLine(apiUrl, payable)] : []),
    '',
    ...sandboxes.map(({ name, url }) => `Sandbox of ${name}: ${url}`),
    ...describeOps(opsUrl),
    describeLog(log),
    '',
    'Ready. Ctrl-C stops.',
  ];
}

/** As a line for a shell, which the other lines go by. */
function describeKey({ firstKey, isProduction }: Started): string[] {
  if (firstKey) {
    return [
      `API key of owner ${firstOwner}, shown only now:`,
      `KEY=${firstKey.key}`,
      `Its notifications are signed with: ${firstKey.webhookSecret}`,
    ];
  }
  const owner = isProduction ? '<name> --env production' : `${firstOwner} --env sandbox`;
  return [`To make an API key: npx paywright keys create --owner ${owner}`, 'Then: KEY=<the key>'];
}

/** Of workers alone. */
export function describeWorkers(workers: number, opsUrl: string | undefined, log: LogTarget): string[] {
  return [`Workers: ${workers}`, ...describeOps(opsUrl), describeLog(log), '', 'Ready. Ctrl-C stops.'];
}

function countWorkers(workers: number): string {
  return `${workers} ${workers === 1 ? 'worker' : 'workers'}`;
}

const order = { amount: 25.9, unit: 'EUR' };

/** By input kind, the most usual first: how one pays, and what the sandboxes take for it. */
const payments = {
  card: {
    how: 'by card',
    members: {
      number: '4111111111111111',
      expiration: `12/${(new Date().getUTCFullYear() + 3) % 100}`,
      cvv: '737',
      ...order,
    },
  },
  upi: { how: 'by UPI', members: { country: 'IN', upiId: 'success@upi', amount: 499, unit: 'INR' } },
  token: { how: 'with a saved card', members: { token: 'tok_7H2K9Q', ...order } },
  billing: { how: 'where the answer leads', members: order },
} as const;

interface Payable {
  readonly code: number;
  readonly how: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** The most usual way to pay at a sandbox that runs. */
function payableOf(sandboxes: readonly SandboxReport[]): Payable | undefined {
  for (const [kind, payment] of Object.entries(payments)) {
    const found = sandboxes.find(({ inputs }) => inputs.includes(kind));
    if (found) return { code: found.code, ...payment };
  }
  return undefined;
}

/** A line for a shell. */
function payingLine(apiUrl: string, { code, members }: Payable): string {
  const body = {
    name: 'Ana Silva',
    email: 'ana@payer.example',
    phoneNumber: '+351912345678',
    address: 'Rua Augusta 12',
    city: 'Lisboa',
    state: 'LX',
    postalCode: '1100-053',
    country: 'PT',
    ...members,
  };
  const headers = ['X-API-Key: $KEY', 'Content-Type: application/json', 'Accept: application/json'];
  // Double quotes, because the key is a variable of the shell.
  const options = headers.map((header) => `-H "${header}"`).join(' ');
  return `curl -sS ${apiUrl}/payments/h2h/${code} ${options} -d '${JSON.stringify(body)}'`;
}
