/**
 * `npm run fuzz:cost`: measures the CPU time that one request costs the API, for every route that a sender without a
 * key or the holder of a payment link can reach, every field of its request, and every shape of value.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startFaultsProvider } from '../faults/provider.ts';
import { startDefaultService, type Service } from '../faults/service.ts';
import { addToCorpus } from './corpus.ts';
import { inputsOf, toBytes, type Input } from './inputs.ts';
import { sendBytes } from './send-bytes.ts';
import { readTargets, type Target } from './targets.ts';

const help = `npm run fuzz:cost [-- options]

Starts the service with default settings and sends every input of a generator: routes × fields × shapes. It prints the input of
each route that costs the API the most CPU time. The exit code is 1 if a request costs more than 50 ms, plus 50 ms per MiB,
or is never answered.

  --only TEXT   routes whose method and path contain the text
  --one-in N    sends every Nth input
  --write       adds the worst input of each route to test/fuzz/corpus.json
  --help        prints this help
`;

/**
 * A request above this is a fault of the product. The second number is the allowance for reading a body of the adapters
 * that allow 1 MiB. A connection with pipelined requests is not one request.
 */
const [limitMs, perMegabyteMs] = [50, 50];
/** An input above this is sent again, because the first time may have included a collection of garbage. */
const doubtfulMs = 10;
const repeats = 4;
/** A payment's page is opened at most 120 times a minute. A new payment is made before that. */
const requestsPerLink = 100;

interface Found extends Input {
  readonly cpuMs: number;
  readonly answer: string;
  readonly bytes: number;
}

function isAbove({ cpuMs, field, bytes }: Found): boolean {
  return field !== 'connection' && cpuMs > limitMs + (perMegabyteMs * bytes) / 2 ** 20;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      'one-in': { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const provider = await startFaultsProvider();
  const service = await startDefaultService(provider);
  try {
    const all = await readTargets(service);
    const worst: Found[] = [];
    let count = 0;
    for (const target of all.filter(({ route }) => route.includes(values.only))) {
      const inputs = inputsOf(target).filter((_, at) => at % Number(values['one-in']) === 0);
      const found = (await measureAll(service, target, inputs)).sort((one, other) => other.cpuMs - one.cpuMs);
      count += found.length;
      for (const [at, one] of found.entries()) {
        const { cpuMs, answer, route, field, shape } = one;
        const isTooMuch = isAbove(one) || answer === 'no answer';
        if (at > 0 && !isTooMuch) continue;
        worst.push(one);
        const mark = isTooMuch ? 'TOO MUCH' : '        ';
        console.log(`${mark} ${cpuMs.toFixed(1).padStart(8)} ms  ${answer.padEnd(9)} ${route}: ${field}, ${shape}`);
      }
    }
    if (values.write) await addToCorpus(worst);
    const tooMuch = worst.filter(isAbove).length;
    console.log(`${count} inputs, ${tooMuch} above ${limitMs} ms`);
    return tooMuch > 0 || worst.some(({ answer }) => answer === 'no answer') ? 1 : 0;
  } finally {
    await service.close();
    await provider.close();
  }
}

async function measureAll(service: Service, first: Target, inputs: readonly Input[]): Promise<Found[]> {
  const port = Number(new URL(service.url).port);
  const pids = await service.pids('API');
  const found: Found[] = [];
  let target = first;
  for (const [at, input] of inputs.entries()) {
    if (at > 0 && at % requestsPerLink === 0 && first.route.includes('/pay/'))
      target = (await readTargets(service)).find(({ route }) => route === first.route) ?? target;
    const bytes = toBytes(target, input);
    let cpuMs = Number.POSITIVE_INFINITY;
    let answer = '';
    for (let tries = 0; tries < repeats && cpuMs > doubtfulMs; tries += 1) {
      const before = cpuMsOf(pids);
      answer = await sendBytes(port, bytes, { localAddress: nextAddress() });
      cpuMs = Math.min(cpuMs, cpuMsOf(pids) - before);
    }
    found.push({ ...input, cpuMs, answer, bytes: bytes.length });
  }
  return found;
}

let addresses = 0;
/** Each request comes from another address, so no budget hides its cost. */
function nextAddress(): string {
  addresses += 1;
  return `127.${1 + ((addresses >> 16) % 254)}.${(addresses >> 8) % 256}.${addresses % 256}`;
}

/** CPU time of all threads, in milliseconds. The kernel counts nanoseconds. */
function cpuMsOf(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids)
    for (const thread of readdirSync(`/proc/${pid}/task`))
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return nanoseconds / 1e6;
}

process.exitCode = await main();
process.exit();
