/** The lines that `npm start` prints. */
import type { LogTarget } from '../../../core/base/log/log.ts';
import type { CreatedKey } from '../../../core/engine/access/index.ts';
import { firstOwner } from './first-key.ts';
import type { SandboxReport } from '../dev/sandboxes.ts';

export interface Started {
  readonly apiUrl: string;
  /** Undefined: there is no operators' listener. */
  readonly opsUrl?: string | undefined;
  /** Undefined: the workers run under another supervisor. */
  readonly workers: number | undefined;
  readonly sandboxes: readonly SandboxReport[];
  readonly log: LogTarget;
  readonly isProduction: boolean;
  /** Only of the first start. */
  readonly firstKey: Pick<CreatedKey, 'key' | 'webhookSecret'> | undefined;
}

function describeLog({ file }: LogTarget): string {
  return `Log: ${file ?? 'standard output'}`;
}

function describeOps(opsUrl: string | undefined): string[] {
  return opsUrl === undefined ? [] : [`Metrics: ${opsUrl}/metrics`, `Operators' console: ${opsUrl}/ops`];
}

/** The lines of a service with an API: first what a merchant needs to call it. */
export function describeStarted(started: Started): string[] {
  const { apiUrl, opsUrl, workers, sandboxes, log } = started;
  const payable = findPayable(sandboxes);
  return [
    `API: ${apiUrl} (${workers === undefined ? 'workers run elsewhere' : countWorkers(workers)})`,
    ...describeKey(started),
    ...(payable ? ['', `To pay ${payable.how}:`, paymentLine(apiUrl, payable)] : []),
    '',
    ...sandboxes.map(({ name, url }) => `Sandbox of ${name}: ${url}`),
    ...describeOps(opsUrl),
    describeLog(log),
    '',
    'Ready. Ctrl-C stops.',
  ];
}

/** Sets a shell variable that the line that pays uses. */
function describeKey({ firstKey, isProduction }: Started): string[] {
  if (firstKey) {
    return [
      `API key of owner ${firstOwner}, shown only now:`,
      `KEY=${firstKey.key}`,
      `Its notifications are signed with: ${firstKey.webhookSecret}`,
    ];
  }
  const owner = isProduction ? '<name> --env production' : `${firstOwner} --env sandbox`;
  return [`To create an API key: npx paywright keys create --owner ${owner}`, 'Then: KEY=<the key>'];
}

/** The lines of a service with workers alone. */
export function describeWorkers(workers: number, opsUrl: string | undefined, log: LogTarget): string[] {
  return [`Workers: ${workers}`, ...describeOps(opsUrl), describeLog(log), '', 'Ready. Ctrl-C stops.'];
}

function countWorkers(workers: number): string {
  return `${workers} ${workers === 1 ? 'worker' : 'workers'}`;
}

const order = { amount: 25.9, unit: 'EUR' };

/** Test payments that the sandboxes accept, by input kind, the most usual kind first. */
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
  billing: { how: 'at the address in the answer', members: order },
} as const;

interface Payable {
  readonly code: number;
  readonly how: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** The most usual payment that a running sandbox accepts. */
function findPayable(sandboxes: readonly SandboxReport[]): Payable | undefined {
  for (const [kind, payment] of Object.entries(payments)) {
    const found = sandboxes.find(({ inputs }) => inputs.includes(kind));
    if (found) return { code: found.code, ...payment };
  }
  return undefined;
}

/** A line for a shell that pays. */
function paymentLine(apiUrl: string, { code, members }: Payable): string {
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
