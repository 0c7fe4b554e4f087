/** Uses tarballs as a new user does: in an empty project, with npm alone. */
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { run, runInBackground, type Background } from '../clients/run-program.ts';
import { makeDecisions } from '../support/make-decisions.ts';

const install = ['npm', 'install', '--no-audit', '--no-fund'];
/** The first start may fetch a mongod. */
const startLimit = 180_000;

/** Installs the tarballs into an empty project. Resolves with its folder. */
export async function installPackages(tarballs: readonly string[], project: string): Promise<void> {
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "name": "a-shop", "private": true, "type": "module" }\n');
  await run([...install, ...tarballs], { cwd: project });
}

/** Starts the service, pays with the line that it prints, and reads the payment with the client package. */
export async function payInProject(project: string): Promise<string> {
  const [port, opsPort] = [await chooseFreePort(), await chooseFreePort()];
  const env = { PORT: `${port}`, OPS_PORT: `${opsPort}` };
  const service = runInBackground(['npx', 'paywright', 'start'], { cwd: project, env });
  try {
    await until('the service is ready', () => service.lines().some((line) => line.startsWith('Ready')), startLimit);
    const paid = JSON.parse(await run(['sh', '-c', paymentLines(service)], { cwd: project })) as {
      readonly result: string;
      readonly paymentRequest: { readonly id: number };
    };
    const status = await readWithClient(project, port, keyOf(service), paid.paymentRequest.id);
    if (paid.result !== 'OK' || status !== 'paid') throw new Error(`the payment is ${paid.result}, ${status}`);
    await access(join(project, '.data'));
    await listenInProject(project, port, service);
    return `payment ${paid.paymentRequest.id} is ${status}`;
  } finally {
    await service.stop();
  }
}

/** Pays until the command of the client package shows an event, because its first connection takes a moment. */
async function listenInProject(project: string, port: number, service: Background): Promise<void> {
  const env = { GATEWAY_API_KEY: keyOf(service), GATEWAY_URL: `http://127.0.0.1:${port}` };
  const listener = runInBackground(['npx', '@paywright/client', 'listen'], { cwd: project, env });
  try {
    const isShown = async (): Promise<boolean> => {
      await run(['sh', '-c', paymentLines(service)], { cwd: project });
      return listener.lines().some((line) => line.includes('payment.succeeded'));
    };
    await until('the client shows an event', isShown, 30_000);
  } finally {
    await listener.stop();
  }
}

/** The lines that the service prints for a first payment. */
export function paymentLines(service: Background): string {
  const curl = service.lines().find((line) => line.startsWith('curl '));
  if (!curl) throw new Error('the service printed no line that pays');
  return `${keyLine(service)}\n${curl}`;
}

function keyLine(service: Background): string {
  return service.lines().find((line) => line.startsWith('KEY=')) ?? '';
}

const keyOf = (service: Background): string => keyLine(service).slice('KEY='.length);

async function readWithClient(project: string, port: number, key: string, id: number): Promise<string> {
  const script = [
    `import { createClient } from '@paywright/client';`,
    `const gateway = createClient({ baseUrl: 'http://127.0.0.1:${port}', apiKey: '${key}' });`,
    `const payment = await gateway.getPaymentRequest(${id});`,
    `process.stdout.write(payment.paymentRequestStatusId === 2 ? 'paid' : JSON.stringify(payment));`,
  ];
  await writeFile(join(project, 'read.js'), script.join('\n'));
  return run(['node', 'read.js'], { cwd: project });
}

/** Writes an adapter of a company of its own next to the project, and runs the conformance kit on it. */
export async function testForeignAdapter(project: string): Promise<string> {
  await run(['npx', 'paywright', 'new-adapter', 'acme-pay', '--scope', '@a-shop'], { cwd: project });
  const adapter = join(project, 'acme-pay');
  await run(install, { cwd: adapter });
  await makeDecisions(adapter);
  const [result] = (await run(['npm', 'test'], { cwd: adapter })).match(/\d+ passing/) ?? [];
  if (!result) throw new Error('the kit of the adapter ran no test');
  return result;
}
