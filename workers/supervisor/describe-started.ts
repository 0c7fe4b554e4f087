/** What `npm start` says on its screen. */
import type { CreatedKey } from '../../core/access/index.ts';
import { firstOwner } from './first-key.ts';
import type { SandboxReport } from './dev/sandboxes.ts';

export interface Started {
  readonly apiUrl: string;
  readonly workers: number;
  readonly sandboxes: readonly SandboxReport[];
  readonly logFile: string;
  /** Of the first start. */
  readonly firstKey: Pick<CreatedKey, 'key' | 'webhookSecret'> | undefined;
}

export function describeStarted({ apiUrl, workers, sandboxes, logFile, firstKey }: Started): string[] {
  const anotherKey = `npx gateway keys create --owner ${firstOwner} --env sandbox`;
  const payable = sandboxes.find(({ inputs }) => inputs.includes('card'));
  return [
    ...sandboxes.map(({ name, url }) => `Sandbox of ${name}: ${url}`),
    `API: ${apiUrl} (${workers} ${workers === 1 ? 'worker' : 'workers'})`,
    `Log: ${logFile}`,
    '',
    ...(firstKey
      ? [
          `API key of owner ${firstOwner}, shown only now: ${firstKey.key}`,
          `Its notifications are signed with: ${firstKey.webhookSecret}`,
        ]
      : [`To make an API key: ${anotherKey}`]),
    ...(payable ? ['', 'To pay by card:', payingLine(apiUrl, payable.code, firstKey?.key ?? '$GATEWAY_KEY')] : []),
    '',
    'Ready. Ctrl-C stops.',
  ];
}

/** A line for a shell; the card is approved by every sandbox. */
function payingLine(apiUrl: string, code: number, key: string): string {
  const body = {
    name: 'Ana Silva',
    email: 'ana@payer.example',
    phoneNumber: '+351912345678',
    address: 'Rua Augusta 12',
    city: 'Lisboa',
    state: 'LX',
    postalCode: '1100-053',
    country: 'PT',
    number: '4111111111111111',
    expiration: `12/${(new Date().getUTCFullYear() + 3) % 100}`,
    cvv: '737',
    amount: 25.9,
    unit: 'EUR',
  };
  const headers = [`X-API-Key: ${key}`, 'Content-Type: application/json', 'Accept: application/json'];
  // Double quotes, so that the key may be a variable of the shell.
  const options = headers.map((header) => `-H "${header}"`).join(' ');
  return `curl -sS ${apiUrl}/payments/h2h/${code} ${options} -d '${JSON.stringify(body)}'`;
}
