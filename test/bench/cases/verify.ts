/**
 * The maximum cost of a callback from an unknown sender: how long the worst body at the limit of each route blocks the
 * event loop, until neither the live secrets nor the sandbox's verify it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RawCallback } from '@paywright/contract';
import { countJsonValues, defaultMaxBodyBytes, maxJsonValues } from '@paywright/contract/core';
import { readVectorFile } from '@paywright/contract/testing';
import pino from 'pino';
import { readThreeDs } from '../../../core/engine/payments/three-ds/read-three-ds.ts';
import { createProviderCalls, createRegistry, loadAdapters } from '../../../core/engine/providers/index.ts';
import { root } from '../../support/start-gateway.ts';
import { median } from '../figures.ts';
import type { Bench } from '../measure.ts';
import { growMessage } from '../worst-messages.ts';

/** Limit of a request's head, which includes the query. */
const queryBytes = 15_000;
const rounds = 5;
const prefix = 'verify, ';

export function isVerify(name: string): boolean {
  return name.startsWith(prefix);
}

type Work = (raw: RawCallback) => unknown;

export async function measureVerify(bench: Bench): Promise<void> {
  const folder = join(root, 'adapters');
  const packages = readdirSync(folder, { withFileTypes: true }).filter(({ name }) =>
    existsSync(join(folder, name, 'package.json')),
  );
  for (const { name } of packages) await measureAdapter(bench, name);
  const { options, callbacks } = readVectorFile(read('test/fixtures/3ds-vectors.json'));
  const threeDs = options as unknown as Parameters<typeof readThreeDs>[1];
  const posted = callbacks.find(({ request, expect }) => request.method === 'POST' && expect.genuine === true);
  if (!posted) throw new Error('no vector is a genuine result of 3D Secure');
  await measureWorst(bench, 'POST 3ds', toRaw(posted), defaultMaxBodyBytes, (raw) => readThreeDs(raw, threeDs));
}

async function measureAdapter(bench: Bench, name: string): Promise<void> {
  const {
    options,
    callbacks,
    publicUrl = 'https://pay.example',
  } = readVectorFile(read(`adapters/${name}/fixtures/vectors.json`));
  const entry = { name, package: `@paywright/${name}`, state: 'on', options, from: root } as const;
  const [active] = await loadAdapters([entry], { gatewayRoot: root, environment: 'development', isProduction: false });
  if (!active?.adapter) throw new Error(`${name} is not loaded`);
  const registry = createRegistry([{ ...active, hasSandboxProofs: true }]);
  let now = new Date();
  const calls = createProviderCalls({
    registry,
    config: {
      callTimeoutMs: 60_000,
      verifyTimeoutMs: 60_000,
      concurrency: 1,
      breakerFailures: 20,
      breakerCoolOffMs: 1,
    },
    callbackSandbox: false,
    publicUrl,
    now: () => now,
    log: pino({ level: 'silent' }),
    transcript: () => undefined,
  });
  try {
    for (const { path, method, maxBodyBytes = defaultMaxBodyBytes } of active.adapter.callbacks) {
      const isOf = (callback: (typeof callbacks)[number]): boolean =>
        callback.route === path && callback.request.method === method && callback.expect.genuine !== false;
      const genuine = callbacks.find((one) => isOf(one) && one.expect.genuine === true) ?? callbacks.find(isOf);
      const found = registry.route(method, path);
      if (!genuine || !found) throw new Error(`${name} has no vector for ${method} ${path}`);
      const raw = withoutProof(toRaw(genuine));
      now = raw.receivedAt;
      await measureWorst(bench, `${method} ${path}`, raw, maxBodyBytes, async (grown) => calls.verify(found, grown));
    }
  } finally {
    calls.stop();
  }
}

async function measureWorst(bench: Bench, route: string, raw: RawCallback, bytes: number, verify: Work): Promise<void> {
  let worst = 0;
  for (const grown of worstOf(raw, bytes)) {
    const held: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const work = async (): Promise<void> => {
        countJsonValues(grown.body);
        await verify(grown);
      };
      held.push(await longestHold(work));
    }
    worst = Math.max(worst, median(held));
  }
  bench.record(`${prefix}${route}`, 'ours', worst);
}

/** Core refuses bodies with more JSON values than their route accepts. */
function worstOf(raw: RawCallback, bytes: number): RawCallback[] {
  const values = maxJsonValues(bytes);
  if (raw.method === 'GET')
    return growMessage(raw.query, { bytes: queryBytes, values }).map((query) => ({ ...raw, query }));
  return growMessage(Buffer.from(raw.body).toString(), { bytes, values })
    .map((body) => ({ ...raw, body: Buffer.from(body) }))
    .filter(({ body }) => countJsonValues(body) <= values);
}

/**
 * The longest time for which the work blocks the event loop, in milliseconds of CPU time. Other load on the machine
 * does not count.
 */
async function longestHold(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = cpuMs();
  let isOver = false;
  const tick = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isOver = true;
  tick();
  return longest;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Removes the password and changes the signatures. Otherwise content next to a signed part would be verified with that
 * part.
 */
function withoutProof(raw: RawCallback): RawCallback {
  const other = (text: string): string => {
    const isMessage = Buffer.from(text, 'base64').toString().startsWith('{');
    return isMessage ? text : (text.startsWith('a') ? 'b' : 'a') + text.slice(1);
  };
  const body = Buffer.from(raw.body)
    .toString()
    .replace(/[\w+/-]{40,}={0,2}/g, other);
  return { ...raw, body: Buffer.from(body), headers: raw.headers.filter(([name]) => name !== 'Authorization') };
}

function toRaw({ request, now }: ReturnType<typeof readVectorFile>['callbacks'][number]): RawCallback {
  const { method, path, query, headers, body, bodyBase64 } = request;
  const bytes = bodyBase64 === undefined ? Buffer.from(body ?? '') : Buffer.from(bodyBase64, 'base64');
  const receivedAt = now === undefined ? new Date() : new Date(now);
  return { method, path, query, headers, body: bytes, remoteAddress: '203.0.113.1', receivedAt };
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
