/**
 * `npm run fuzz`: starts the whole service on this machine, and lets Schemathesis (https://schemathesis.io) send
 * requests to every operation of its OpenAPI document. Fails on any response that contradicts the document, on any
 * request that matches the document and is refused for its form, and on any 5xx except PAY005 and 503. Needs
 * `python3` with pip. Schemathesis is installed once into a temporary folder.
 * `npm run fuzz -- 100` tries 100 generated requests per operation and phase instead of 25.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';

const version = '4.32.5';
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const startLimitMs = 180_000;
const installLimitMs = 300_000;
/** Time limit of one pass over all operations. */
const passLimitMs = 900_000;

/** Checks whose expectation this interface intentionally does not meet. */
const excluded = [
  // A wrong method is NF001 with 404: that route does not exist.
  'unsupported_method',
  // A valid form may still be declined, not payable or not a card: 400.
  'positive_data_acceptance',
];

/** A caller that accepts JSON gets other responses than one that does not. */
const passes = ['*/*', 'application/json'];

async function main(): Promise<number> {
  const [examples = '25'] = process.argv.slice(2);
  const schemathesis = await installSchemathesis();
  const folder = await mkdtemp(join(tmpdir(), 'payment-gateway-fuzz-'));
  const service = await startService(folder);
  try {
    const { url, key } = await isReady(service);
    let failed = 0;
    for (const accept of passes) {
      console.log(`\n== Accept: ${accept}`);
      const code = await fuzz({ schemathesis, folder, url, key, accept, examples });
      if (code !== 0) failed += 1;
    }
    const ready = await fetch(`${url}/ready`);
    const log = await readFile(join(folder, 'data', 'gateway.log'), 'utf8');
    const faults = log
      .split('\n')
      .filter((line) => /"level":(50|60)/.test(line) && line.includes('failed with an internal error'));
    console.log(`\nready afterwards: ${ready.status === 200}; internal errors in the log: ${faults.length}`);
    for (const fault of faults.slice(0, 5)) console.log(fault.slice(0, 1000));
    return failed > 0 || ready.status !== 200 || faults.length > 0 ? 1 : 0;
  } finally {
    await stop(service);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The command of Schemathesis, which is installed if necessary. */
async function installSchemathesis(): Promise<string> {
  const home = join(tmpdir(), `payment-gateway-schemathesis-${version}`);
  const command = join(home, 'bin', 'st');
  if (existsSync(command)) return command;
  console.log(`installing Schemathesis ${version}`);
  await run('python3', ['-m', 'venv', home], installLimitMs);
  await run(
    join(home, 'bin', 'python'),
    ['-m', 'pip', 'install', '--quiet', `schemathesis==${version}`],
    installLimitMs,
  );
  return command;
}

async function run(command: string, args: readonly string[], limitMs: number): Promise<void> {
  const child = spawn(command, args, { stdio: 'inherit', timeout: limitMs });
  const code = await waitForExit(child);
  if (code !== 0) throw new Error(`${command} exited with ${code}: the fuzzer needs python3 with venv and pip`);
}

/** Resolves with the exit code, or null if a signal stopped the process. */
async function waitForExit(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

/** A key's rate limit would answer everything with 429, and sandboxes that never answer would use up the time. */
const settings = 'keys: { rateLimitPerMinute: 1000000 }\nprovider: { callTimeoutMs: 3000 }\n';

interface Service {
  readonly process: ChildProcess;
  readonly url: string;
  readonly output: string[];
}

async function startService(folder: string): Promise<Service> {
  const port = await chooseFreePort();
  const config = join(folder, 'fuzz.yaml');
  await writeFile(config, settings);
  const { MONGODB_URI: _, PUBLIC_URL: __, ...inherited } = process.env;
  const env = {
    ...inherited,
    GATEWAY_ENV: 'development',
    GATEWAY_CONFIG: config,
    GATEWAY_DATA_DIR: join(folder, 'data'),
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  const command = join(root, 'core', 'cli', 'bin', 'paywright.mjs');
  const service = spawn(process.execPath, [command, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const output: string[] = [];
  service.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  return { process: service, url: `http://127.0.0.1:${port}`, output };
}

async function isReady({ process: service, url, output }: Service): Promise<{ url: string; key: string }> {
  const end = Date.now() + startLimitMs;
  while (Date.now() < end && service.exitCode === null) {
    const [key] = /gk_test_[\w-]+/.exec(output.join('')) ?? [];
    const answer = await fetch(`${url}/ready`).catch(() => undefined);
    if (key && answer?.status === 200) return { url, key };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the service did not become ready:\n${output.join('')}`);
}

async function stop({ process: service }: Service): Promise<void> {
  if (service.exitCode !== null) return;
  const gone = waitForExit(service);
  service.kill('SIGTERM');
  await gone;
}

interface Pass {
  readonly schemathesis: string;
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  readonly accept: string;
  readonly examples: string;
}

async function fuzz({ schemathesis, folder, url, key, accept, examples }: Pass): Promise<number | null> {
  const config = join(folder, 'schemathesis.toml');
  // The document says in words that no text contains NUL.
  await writeFile(config, `[auth.openapi.apiKey]\napi_key = "${key}"\n[generation]\nallow-x00 = false\n`);
  const args = ['--config-file', config, 'run', `${url}/openapi.json?all`, '-H', `Accept: ${accept}`];
  // Redirects lead to the merchant's own addresses.
  args.push('--max-redirects', '0', '--request-timeout', '30', '--continue-on-failure', '--no-color');
  args.push('--max-examples', examples, '--exclude-checks', excluded.join(','), '--seed', '1');
  const env = {
    ...process.env,
    PYTHONPATH: join(root, 'test', 'fuzz'),
    PYTHONDONTWRITEBYTECODE: '1',
    SCHEMATHESIS_HOOKS: 'hooks',
  };
  return waitForExit(spawn(schemathesis, args, { cwd: folder, env, stdio: 'inherit', timeout: passLimitMs }));
}

process.exitCode = await main();
