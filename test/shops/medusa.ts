/** A real Medusa server that has the provider of `core/client/shops/medusa`, with one product in euros and dollars. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../core/base/testing/until.ts';
import { run, runInBackground, type Background } from '../clients/run-program.ts';
import { root } from '../support/start-gateway.ts';

export const shopFolder = join(root, 'core/client/shops/medusa');
const startLimit = 120_000;

// oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
export type Json = any;

export interface Medusa {
  readonly url: string;
  /** A publishable API key. */
  readonly key: string;
  /** Calls of a storefront. An answer of 400 or above throws an Error with Medusa's message. */
  readonly store: (method: string, path: string, body?: object) => Promise<Json>;
  /** Calls of the shop's staff. */
  readonly admin: (method: string, path: string, body?: object) => Promise<Json>;
  readonly regions: Readonly<Record<'EUR' | 'USD', string>>;
  readonly variant: string;
  readonly lines: () => readonly string[];
  readonly stop: () => Promise<void>;
}

export interface Setup {
  readonly port: number;
  readonly databaseUrl: string;
  /** Options of the provider by its id in the config of Medusa. */
  readonly providers: Readonly<Record<string, object>>;
}

/** Installs exactly what the lock file of the shop package names, compiles the package, and runs its unit tests. */
export async function installShop(): Promise<void> {
  await run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: shopFolder });
  await run(['npm', 'test'], { cwd: shopFolder });
}

export async function startMedusa({ port, databaseUrl, providers }: Setup): Promise<Medusa> {
  const project = await mkdtemp(join(tmpdir(), 'paywright-medusa-'));
  await writeProject(project, databaseUrl, providers);
  const env = { NODE_ENV: 'production', MEDUSA_DISABLE_TELEMETRY: '1' };
  const medusa = join(shopFolder, 'node_modules/.bin/medusa');
  await run([medusa, 'db:migrate'], { cwd: project, env });
  const staff = { email: 'staff@shop.example', password: 'a password of staff' };
  await run([medusa, 'user', '--email', staff.email, '--password', staff.password], { cwd: project, env });
  const server = runInBackground([medusa, 'start', '--port', `${port}`], { cwd: project, env });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(project, { recursive: true, force: true });
  };
  try {
    await waitForServer(url, server);
    const { token } = await call(`${url}/auth/user/emailpass`, 'POST', {}, staff);
    const admin = async (method: string, path: string, body?: object): Promise<Json> =>
      call(`${url}/admin${path}`, method, { Authorization: `Bearer ${token}` }, body);
    const key = await fillShop(url, staff, Object.keys(providers));
    const store = async (method: string, path: string, body?: object): Promise<Json> =>
      call(`${url}/store${path}`, method, { 'x-publishable-api-key': key }, body);
    const { regions: made } = await store('GET', '/regions');
    const regionOf = (currency: string): string =>
      made.find(({ currency_code: code }: Json) => code === currency).id as string;
    const regions = { EUR: regionOf('eur'), USD: regionOf('usd') };
    const { products } = await store('GET', '/products');
    const variant = products[0].variants[0].id as string;
    return { url, key, store, admin, regions, variant, lines: server.lines, stop };
  } catch (error) {
    await stop();
    throw new Error(`Medusa did not start:\n${server.lines().slice(-40).join('\n')}`, { cause: error });
  }
}

/** As the README of the package says. */
const hook = `
const { refreshPaymentCollectionForCartWorkflow } = require('@medusajs/medusa/core-flows');
const { endOpenPayments } = require('@paywright/medusa');
refreshPaymentCollectionForCartWorkflow.hooks.validate(endOpenPayments);
`;

/** Calls the payment module as code inside a shop does: reads and updates a session, and repeats a refund. */
const sessionRoute = `
const payments = ({ scope }) => scope.resolve('payment');
exports.GET = async (req, res) => res.json({ session: await payments(req).retrievePaymentSession(req.params.id) });
exports.POST = async (req, res) => res.json({ session: await payments(req).updatePaymentSession(req.body) });
exports.PUT = async (req, res) =>
  res.json(await payments(req).paymentProviderService_.refundPayment('pp_paywright_paywright', req.body));
`;

/** The packages of the project are those of the shop's folder: an installation takes minutes. */
async function writeProject(project: string, databaseUrl: string, providers: Setup['providers']): Promise<void> {
  const packages = join(project, 'node_modules');
  await mkdir(join(packages, '@paywright'), { recursive: true });
  await symlink(join(shopFolder, 'node_modules/@medusajs'), join(packages, '@medusajs'));
  await symlink(shopFolder, join(packages, '@paywright/medusa'));
  const http = { storeCors: '', adminCors: '', authCors: '', jwtSecret: 'a-secret', cookieSecret: 'another-secret' };
  const config = {
    projectConfig: { databaseUrl, databaseDriverOptions: { connection: { ssl: false } }, http },
    admin: { disable: true },
    modules: [
      {
        resolve: '@medusajs/medusa/payment',
        options: {
          providers: Object.entries(providers).map(([id, options]) => ({ resolve: '@paywright/medusa', id, options })),
        },
      },
    ],
  };
  const text = `module.exports = require('@medusajs/framework/utils').defineConfig(${JSON.stringify(config, null, 2)});\n`;
  await writeFile(join(project, 'medusa-config.js'), text);
  const hooks = join(project, 'src/workflows/hooks');
  await mkdir(hooks, { recursive: true });
  await writeFile(join(hooks, 'paywright.js'), hook);
  const route = join(project, 'src/api/store/sessions/[id]');
  await mkdir(route, { recursive: true });
  await writeFile(join(route, 'route.js'), sessionRoute);
  // The command of Medusa runs only in a project that names it.
  const manifest = { name: 'a-shop', private: true, dependencies: { '@medusajs/medusa': '*' } };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
}

async function waitForServer(url: string, server: Background): Promise<void> {
  const answers = async (): Promise<boolean> =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('Medusa answers', answers, startLimit);
  await until('Medusa is ready', () => server.lines().some((line) => line.includes('Server is ready')), startLimit);
}

async function call(
  address: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Json> {
  const response = await fetch(address, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Json;
  if (!response.ok) throw new Error(answer.message ?? JSON.stringify(answer));
  return answer;
}

/** Runs the example of the package. Resolves with the publishable API key. */
async function fillShop(
  url: string,
  { email, password }: { readonly email: string; readonly password: string },
  providers: readonly string[],
): Promise<string> {
  const env = {
    MEDUSA_URL: url,
    EMAIL: email,
    PASSWORD: password,
    PROVIDERS: providers.map((id) => `pp_paywright_${id}`).join(','),
  };
  const printed = await run(['node', join(shopFolder, 'example/fill-shop.mjs')], { cwd: shopFolder, env });
  return printed.trim().slice('MEDUSA_KEY='.length);
}
