/**
 * Adapters that were built against contract 2.0: the packed contract 2.0.0 and a packed adapter. Such an adapter loads
 * with its own copy of the contract, and its source compiles against the current one.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runVectors } from '@paywright/contract/testing';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadAdapters } from '../core/engine/providers/index.ts';
import { compileFolder, exportedNamesOf, writeTypeScriptConfig } from './support/compile.ts';
import { root } from './support/start-gateway.ts';

const runFile = promisify(execFile);
const packages = { contract: 'gateway-contract-2.0.0.tgz', 'provider-c': 'gateway-provider-c-1.0.0.tgz' };
/** The dependencies of the packed contract, and the types of Node. */
const dependencies = ['@remix-run', '@types', 'saxes', 'valibot'];

/** An adapter, its sandbox and its kit as an author wrote them for contract 2.0: every ability, in usual spellings. */
const adapterOfThen = `
import {
  acknowledgeBy, defineAdapter, defineRoute, empty, genuine, invalidSignature, noInformation, nothingCharged, secret,
  statusTable, text, unknown, v,
  type Ability, type Action, type AdapterContext, type EventStatuses, type Outcome, type ProviderCache,
  type ReportedEvent, type Sandbox, type SandboxSetup, type CreateSandbox, type StatusReport, type StoredPayment,
} from '@gateway/contract';
import type { Check, Kit, RoundTrip } from '@gateway/contract/testing';

const Options = v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string(), apiKey: secret(8) });
type Options = v.InferOutput<typeof Options>;
type Context = AdapterContext<Options>;

/** A switch over all statuses of a kind. */
export function refundText(status: EventStatuses['refund']): string {
  switch (status) {
    case 'pending': return 'is being sent';
    case 'succeeded': return 'was sent';
    case 'failed': return 'was refused';
    case 'reversed': return 'came back';
  }
}

async function keyOf(cache: ProviderCache, now: Date): Promise<string> {
  return cache.remember('key', async () => ({ value: 'k', until: new Date(now.getTime() + 60_000) }));
}

const submit: Ability<'submit', Options, 'card', 'name'> = async ({ reference, card, payer }, ctx) => {
  const key = await keyOf(ctx.cache, ctx.now());
  const body = JSON.stringify({ reference, number: card.number, name: payer.name, key });
  const reply = await ctx.http.send({ method: 'POST', path: '/charges', body });
  const action: Action = { type: 'redirect', method: 'GET', url: ctx.returnUrl(reference), transactionId: 't-1' };
  if (reply.status === 202) return { outcome: 'pending', providerReference: 'c-1', action };
  return reply.status === 200 ? { outcome: 'succeeded', providerReference: 'c-1' } : nothingCharged('refused');
};

async function ask(path: string, { http }: Context): Promise<Outcome> {
  const { status } = await http.send({ method: 'POST', path, headers: { Accept: 'text/plain' } });
  return status === 200 ? { outcome: 'succeeded' } : unknown('no readable answer');
}

async function fetchStatus({ reference, providerReference }: StoredPayment, ctx: Context): Promise<StatusReport> {
  const reply = await ctx.http.send({ method: 'GET', path: '/charges/' + (providerReference ?? reference) });
  if (reply.status !== 200) return noInformation('not found');
  const event: ReportedEvent = {
    kind: 'payment', providerStatus: 'paid', reference, providerReference: 'c-1', amount: '1', currency: 'EUR',
    dedupeKey: 'c-1',
  };
  return { result: 'events', events: [event] };
}

export default defineAdapter<Options, 'card', 'name'>({
  manifest: {
    name: 'then',
    title: 'Then',
    code: 59,
    contract: '^2.0',
    inputs: ['card'],
    ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: ['name'] }],
    currencies: 'any',
    options: Options,
    declines: { poor: '51' },
    reconcile: { stepsSeconds: [5, 60], thenEverySeconds: 3600, giveUpAfterSeconds: 86_400 },
    idempotency: 'A repeated reference gets the stored answer.',
  },
  submit,
  complete: async (payment, _step, ctx) => ask('/charges/' + payment.reference + '/complete', ctx),
  fetchStatus,
  refund: async (payment, { reference }, ctx) => ask('/refunds/' + payment.reference + reference, ctx),
  capture: async (payment, { reference }, ctx) => ask('/captures/' + payment.reference + reference, ctx),
  void: async (payment, ctx, { reference }) => ask('/voids/' + payment.reference + reference, ctx),
  callbacks: [
    defineRoute<Options, string>({
      path: 'then',
      method: 'POST',
      caller: 'server',
      reports: 'payments',
      verifySignature: (raw) => (raw.body.length > 0 ? genuine('paid') : invalidSignature('empty')),
      parseCallback: () => ({ events: [] }),
      acknowledge: acknowledgeBy({
        accepted: text('noted'), invalid_signature: empty(401), malformed: empty(400), try_later: empty(503),
      }),
    }),
  ],
  mapStatus: statusTable({ payment: { paid: 'succeeded' }, refund: { back: 'succeeded' } }),
});

export const createSandbox: CreateSandbox<Options> = (setup: SandboxSetup<Options>): Sandbox => ({
  events: ['paid'],
  trigger: async ({ times }) => Array.from({ length: times }, () => ({ status: 200, headers: [], body: Buffer.from('') })),
  handle: async (_request, response) => { response.end(setup.baseUrl); },
  close: async () => undefined,
});

export const kit: Kit<Options> = { vectors: {}, otherAccount: null, routes: { 'POST then': { notCovered: 'all' } } };
export const run = (checks: readonly Check[]): string[] => checks.filter((one) => !one.isSkipped).map(({ title }) => title);
export type Trip = RoundTrip<Options>;
`;

/** The packed adapter as the gateway uses it. */
const loading = `
import type { ProviderAdapter } from '@gateway/contract';
import adapter from '@gateway/provider-c';
import createSandbox from '@gateway/provider-c/sandbox';

type OptionsOf<A> = A extends ProviderAdapter<infer O> ? O : never;
export const loaded: ProviderAdapter<OptionsOf<typeof adapter>> = adapter;
export const sandbox: (setup: never) => unknown = createSandbox;
`;

describe('an adapter of contract 2.0', function () {
  this.timeout(120_000);
  let folder: string;
  let modules: string;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'contract-2.0-')));
    modules = join(folder, 'node_modules');
    await mkdir(join(modules, '@gateway'), { recursive: true });
    for (const [name, file] of Object.entries(packages)) {
      await runFile('tar', ['-xzf', join(root, 'test/fixtures', file), '-C', folder]);
      await rename(join(folder, 'package'), join(modules, '@gateway', name));
    }
    for (const name of dependencies) await symlink(join(root, 'node_modules', name), join(modules, name));
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  const file = async (): Promise<string> =>
    readFile(join(modules, '@gateway/provider-c/fixtures/vectors.json'), 'utf8');

  it('loads with its own copy of the contract, and keeps every sample under the current one', async () => {
    const { options } = JSON.parse(await file()) as { readonly options: unknown };
    const entry = { name: 'provider-c', package: '@gateway/provider-c', state: 'on', options, from: folder } as const;
    const gateway = { gatewayRoot: folder, environment: 'test', isProduction: false } as const;
    const [loaded] = await loadAdapters([entry], gateway);
    const { adapter } = loaded!;
    expect(adapter!.manifest).to.include({ name: 'provider-c', contract: '^2.0' });
    const results = await runVectors(adapter!, await file());
    expect(results.length).to.be.above(20);
    expect(results.filter(({ passed }) => !passed)).to.deep.equal([]);
  });

  it('compiles against its own contract and against the current one, which exports every name of 2.0', async () => {
    const names: string[] = [];
    for (const part of ['', 'sandbox/', 'testing/']) {
      const found = await exportedNamesOf(join(modules, '@gateway/contract/dist', part, 'index.d.ts'));
      expect(found.length, part).to.be.above(0);
      names.push(`export type { ${found.join(', ')} } from '@gateway/contract${part && `/${part.slice(0, -1)}`}';`);
    }
    const current = join(folder, 'current');
    await mkdir(current);
    for (const home of [folder, current]) {
      await writeTypeScriptConfig(home);
      await writeFile(join(home, 'then.ts'), adapterOfThen);
      await writeFile(join(home, 'loading.ts'), loading);
      for (const [index, exported] of names.entries()) await writeFile(join(home, `names-${index}.ts`), exported);
    }
    const then = await compileFolder(folder);
    expect(then, then).to.equal('');
    // The name of the contract now means the current one.
    await rm(join(modules, '@gateway/contract'), { recursive: true });
    await symlink(join(root, 'core/contract'), join(modules, '@gateway/contract'));
    const now = await compileFolder(current);
    expect(now, now).to.equal('');
  });
});
