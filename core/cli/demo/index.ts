/**
 * `paywright demo` starts everything on free ports with a temporary database, pays, and checks the results, on one
 * screen.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseFreePort } from '../../../workers/supervisor/dev/mongod/index.ts';
import { createMerchant, type Merchant } from './merchant.ts';
import { startReceiver, type DemoReceiver } from './receiver.ts';
import { measured, scenarios, type Scenario } from './scenarios.ts';

export interface DemoOptions {
  /** The command's own script, which starts the service. */
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly print: (line: string) => void;
}

/** The card acquirer of the default config. */
const PROVIDER_CODE = 11;
const SAMPLES = 5;
const SCENARIO_LIMIT_MS = 20_000;
const START_LIMIT_MS = 180_000;

interface Ended {
  readonly scenario: Scenario;
  readonly isRight: boolean;
  readonly seen: string;
  /** Time from the provider's callback to the last notification. */
  readonly latencyMs: number | undefined;
}

export interface Shown {
  /** True if every expected state and notification was seen and every signature was verified. */
  readonly isRight: boolean;
  readonly scenarios: readonly { readonly title: string; readonly isRight: boolean; readonly seen: string }[];
  /** Times from the provider's callback to the merchant's notification, for each measured payment. */
  readonly latenciesMs: readonly number[];
}

export async function runDemo({ command, env, print }: DemoOptions): Promise<Shown> {
  const begun = Date.now();
  const say = (line: string): void => print(`${((Date.now() - begun) / 1000).toFixed(2).padStart(7)} s  ${line}`);
  const folder = await mkdtemp(join(tmpdir(), 'payment-gateway-demo-'));
  const port = await chooseFreePort();
  const url = `http://127.0.0.1:${port}`;
  const serviceEnv = {
    ...env,
    GATEWAY_ENV: 'development',
    GATEWAY_DATA_DIR: folder,
    PORT: String(port),
    HOST: '127.0.0.1',
  };
  // The demo must not use the data of the operator's own service.
  for (const name of ['MONGODB_URI', 'PUBLIC_URL', 'GATEWAY_CONFIG']) delete (serviceEnv as NodeJS.ProcessEnv)[name];
  const service = spawn(process.execPath, [command, 'start'], { env: serviceEnv, stdio: ['ignore', 'pipe', 'pipe'] });
  let receiver: DemoReceiver | undefined;
  // Everything that waits for the service then fails, and the cleanup runs as usual.
  const interrupt = (): void => void service.kill('SIGTERM');
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, interrupt);
  try {
    say('starting the gateway, its workers, the provider sandboxes and a temporary MongoDB');
    await isReady(service, url, say);
    say(`ready at ${url}`);
    const { key, webhookSecret } = await createKey(command, serviceEnv);
    say('merchant "demo-shop" has a test key');
    receiver = await startReceiver(
      () => webhookSecret,
      ({ paymentRequestId, type, isVerified }) =>
        say(`  notified   ${paymentRequestId}  ${type}  ${isVerified ? 'signatures verified' : 'SIGNATURE WRONG'}`),
    );
    const { url: notifyUrl } = receiver;
    const merchant = createMerchant(url, key, PROVIDER_CODE, () => notifyUrl);
    const ended: Ended[] = [];
    const latencies: number[] = [];
    for (const scenario of scenarios) ended.push(await run(scenario, merchant, receiver, say));
    say(`${SAMPLES} more payments, to measure the time`);
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const { isRight, latencyMs } = await run(measured, merchant, receiver, () => undefined);
      if (isRight && latencyMs !== undefined) latencies.push(latencyMs);
    }
    printTable(ended, latencies, print);
    const allVerified = receiver.received.every(({ isVerified }) => isVerified);
    return {
      isRight: allVerified && ended.every(({ isRight }) => isRight),
      scenarios: ended.map(({ scenario, isRight, seen }) => ({ title: scenario.title, isRight, seen })),
      latenciesMs: latencies,
    };
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, interrupt);
    await receiver?.close();
    await stop(service);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits for /ready and shows the output of the service in the meantime. */
async function isReady(service: ChildProcess, url: string, say: (line: string) => void): Promise<void> {
  const lines: string[] = [];
  for (const stream of [service.stdout, service.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const end = Date.now() + START_LIMIT_MS;
  let shown = 0;
  while (Date.now() < end) {
    for (; shown < lines.length; shown += 1) {
      const line = lines[shown] ?? '';
      if (line.trim() && !line.startsWith('{')) say(`  ${line.trim()}`);
    }
    if (service.exitCode !== null) throw new Error('the service exited before it was ready; the reason is above');
    const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`the service was not ready within ${START_LIMIT_MS / 1000} s`);
}

async function createKey(command: string, env: NodeJS.ProcessEnv): Promise<{ key: string; webhookSecret: string }> {
  const args = [command, 'keys', 'create', '--owner', 'demo-shop', '--env', 'sandbox', '--json'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error('no key could be created');
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as { key: string; webhookSecret: string };
}

async function run(
  scenario: Scenario,
  merchant: Merchant,
  receiver: DemoReceiver,
  say: (line: string) => void,
): Promise<Ended> {
  const { title, card, amount, expected } = scenario;
  say(`${title}: pays ${amount} EUR with the card ending ${card.slice(-4)}`);
  const answer = await merchant.pay(card, amount);
  const { id } = answer;
  const answered = [answer.status, answer.code].filter(Boolean).join(' ');
  say(`  answered   ${id}  ${answered}${answer.action ? ', the payer must act' : ''}`);
  await scenario.afterwards?.(merchant, answer, (line) => say(`  ${line}`));

  const end = Date.now() + SCENARIO_LIMIT_MS;
  for (;;) {
    const { status, chargedBack } = await merchant.state(id);
    const received = receiver.received.filter(({ paymentRequestId }) => paymentRequestId === id);
    const types = received.toSorted((a, b) => a.sequence - b.sequence).map(({ type }) => type);
    const isRight =
      answered === expected.answer &&
      status === expected.status &&
      chargedBack === expected.chargedBack &&
      types.join() === expected.notifications.join();
    if (isRight || Date.now() > end) {
      const last = received.findLast(({ type }) => type !== 'payment.pending');
      const cause = last && (await merchant.callbackTimes(id)).findLast((at) => at <= last.at);
      say(`  ${isRight ? 'as expected' : 'NOT AS EXPECTED'}`);
      const state = `status ${status}${chargedBack ? ', charged back' : ''}`;
      const latencyMs = last && cause !== undefined ? last.at - cause : undefined;
      return { scenario, isRight, latencyMs, seen: `${answered}; ${state}; ${types.join(', ')}` };
    }
    await sleep(25);
  }
}

function printTable(ended: readonly Ended[], latencies: readonly number[], print: (line: string) => void): void {
  const width = Math.max(...ended.map(({ scenario }) => scenario.title.length));
  print('');
  for (const { scenario, isRight, seen } of ended)
    print(`${isRight ? 'ok  ' : 'FAIL'}  ${scenario.title.padEnd(width)}  ${seen}`);
  print('');
  if (latencies.length)
    print(
      `from the provider's callback to the merchant's notification: ${latencies.toSorted((a, b) => a - b).join(', ')} ms`,
    );
  print(ended.every(({ isRight }) => isRight) ? 'all results are as expected' : 'some results are not as expected');
}

async function stop(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null) return;
  const closed = once(service, 'exit');
  service.kill('SIGTERM');
  const forced = setTimeout(() => service.kill('SIGKILL'), 12_000);
  await closed;
  clearTimeout(forced);
}
