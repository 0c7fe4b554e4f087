/** Kill Bill on Jetty and PostgreSQL, with the payment plugin that the project itself uses for tests. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../../core/base/testing/until.ts';
import { chooseFreePort } from '../../../workers/supervisor/dev/mongod/index.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';
import { receiveAll } from '../measure.ts';
import { cpuMsOfTree } from '../process-figures.ts';
import type { LoadGenerator } from '../processes.ts';
import { request } from '../wire.ts';
import { installKillBill, killBillVersion, layOutPlugin, requireProgram, type KillBillFiles } from './install.ts';
import type { Postgres } from './postgres.ts';
import { nothingToWaitFor, type System } from './system.ts';

const run = promisify(execFile);
const database = 'killbill';
/** Kill Bill locks an account while it pays. */
const accounts = 64;
const connections = 32;

export async function startKillBill(
  postgres: Postgres,
  load: LoadGenerator,
  cache: string,
  report: (line: string) => void,
): Promise<System> {
  await requireProgram('java', 'openjdk-17-jre-headless');
  const files = await installKillBill(cache, report);
  await postgres.createDatabase(database);
  await createTables(postgres, files);
  const port = await chooseFreePort();
  const child = await launch(postgres, files, port);
  const receiver = await startReceiver();
  const [quiet, told] = [await createTenant(port, 'quiet'), await createTenant(port, 'told')];
  await call(port, told, `/tenants/registerNotificationCallback?cb=${encodeURIComponent(receiver.url)}`, '');
  const accountsOf = { quiet: await createAccounts(port, quiet), told: await createAccounts(port, told) };

  const pay = (tenant: Tenant, ids: readonly string[], count: number, query = ''): string[] =>
    Array.from({ length: count }, (_, at) => {
      const body = JSON.stringify({ transactionType: 'PURCHASE', amount: 7, currency: 'EUR' });
      return request('POST', `/1.0/kb/accounts/${ids[at % ids.length]}/payments${query}`, headersOf(tenant), body);
    });
  const pending = '?pluginProperty=ACTION_RETURN_PLUGIN_STATUS_PENDING%3D*';
  return {
    name: 'Kill Bill',
    port,
    settings: [
      `Kill Bill ${killBillVersion}, Jetty, -Xmx1g, external bus in the database, 1 hash of the tenant's secret`,
      await postgres.settings(),
    ],
    counts: { charge: 600, webhook: 600, read: 2000 },
    cpuMs: async () => {
      const [own, ofDatabase] = await Promise.all([cpuMsOfTree(child.pid!), postgres.cpuMs()]);
      return { all: own + ofDatabase, database: ofDatabase };
    },
    async prepare(workload, count) {
      if (workload === 'charge') return { messages: pay(quiet, accountsOf.quiet, count), done: nothingToWaitFor };
      if (workload === 'read') {
        const paid = `select p.id from payments p join tenants t on t.record_id = p.tenant_record_id
          where t.api_key = 'quiet' order by p.record_id desc limit ${count}`;
        const ids = await postgres.query(database, paid);
        const messages = Array.from({ length: count }, (_, at) =>
          request('GET', `/1.0/kb/payments/${ids[at % ids.length]}`, headersOf(quiet)),
        );
        return { messages, done: nothingToWaitFor };
      }
      const known = receiver.received.length;
      await load.drive({ port, messages: pay(told, accountsOf.told, count, pending), connections });
      await toldOf(receiver, known + count);
      const waiting = `select id, payment_id from payment_transactions where transaction_status = 'PENDING'`;
      const messages = (await postgres.query(database, waiting)).map((row) => {
        const [id, paymentId] = row.split(',');
        const body = JSON.stringify({ paymentId, status: 'SUCCESS' });
        return request('POST', `/1.0/kb/paymentTransactions/${id}`, headersOf(told), body);
      });
      return { messages, done: async () => toldOf(receiver, known + count + messages.length) };
    },
    async close() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      await receiver.close();
    },
  };
}

async function toldOf(receiver: Receiver, count: number): Promise<void> {
  if (!(await receiveAll(receiver, count))) throw new Error('Kill Bill did not notify every merchant');
}

const modules = ['util', 'account', 'payment', 'tenant', 'invoice', 'subscription', 'catalog', 'entitlement', 'usage'];

/** The definitions of the tables are in the jars of the war, and in that of the plugin. */
async function createTables(postgres: Postgres, { folder, war, plugin }: KillBillFiles): Promise<void> {
  const unpacked = join(folder, 'war');
  await rm(unpacked, { recursive: true, force: true });
  await run('unzip', [
    '-q',
    war,
    'WEB-INF/lib/killbill-*',
    'WEB-INF/classes/killbill-server.properties',
    '-d',
    unpacked,
  ]);
  const read = async (jar: string, path: string): Promise<string> =>
    (await run('unzip', ['-p', jar, path], { maxBuffer: 2 ** 24 })).stdout;
  const jar = (name: string): string => join(unpacked, 'WEB-INF/lib', name);
  const parts = [
    await read(jar(`killbill-util-${killBillVersion}.jar`), 'org/killbill/billing/util/ddl-postgresql.sql'),
  ];
  for (const name of [...modules, 'beatrix'])
    parts.push(await read(jar(`killbill-${name}-${killBillVersion}.jar`), `org/killbill/billing/${name}/ddl.sql`));
  parts.push(
    await read(jar('killbill-queue-0.24.15.jar'), 'org/killbill/queue/ddl.sql'),
    await read(plugin, 'ddl.sql'),
  );
  const file = join(folder, 'tables.sql');
  await writeFile(file, parts.join('\n'));
  await postgres.runFile(database, file);
}

async function launch(postgres: Postgres, files: KillBillFiles, port: number): Promise<ReturnType<typeof spawn>> {
  const { folder, jetty, war } = files;
  const bundles = join(folder, 'bundles');
  await rm(bundles, { recursive: true, force: true });
  await mkdir(bundles, { recursive: true });
  await layOutPlugin(files, bundles);
  const url = `jdbc:postgresql://127.0.0.1:${postgres.port}/${database}`;
  const properties = Object.entries({
    'dao.url': url,
    'dao.user': 'bench',
    'dao.password': 'bench',
    'billing.osgi.dao.url': url,
    'billing.osgi.dao.user': 'bench',
    'billing.osgi.dao.password': 'bench',
    'osgi.bundle.install.dir': bundles,
    'server.multitenant': 'true',
    'server.updateCheck.skip': 'true',
    // Its defaults keep the events of notifications in memory, and hash a tenant's secret 200,000 times per request.
    'persistent.bus.external.inMemory': 'false',
    'persistent.bus.external.queue.mode': 'STICKY_EVENTS',
    'persistent.bus.main.queue.mode': 'STICKY_EVENTS',
    'security.shiroNbHashIterations': '1',
    // A notification that fails is repeated soon, instead of after 15 minutes.
    'billing.server.notifications.retries': '2s,2s,2s,2s,2s',
    'catalog.uri': 'SpyCarAdvanced.xml',
  }).map(([name, value]) => `org.killbill.${name}=${value}`);
  await writeFile(join(folder, 'killbill.properties'), properties.join('\n'));
  await writeFile(join(folder, 'logback.xml'), logback);
  const log = openSync(join(folder, 'kill-bill.log'), 'w');
  const options = [
    '-Xmx1g',
    ...opened.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
    '-Dorg.killbill.server.updateCheck.skip=true',
    `-Dorg.killbill.server.properties=file://${join(folder, 'killbill.properties')}`,
    `-Dlogback.configurationFile=${join(folder, 'logback.xml')}`,
    '-Dorg.eclipse.jetty.util.log.class=org.eclipse.jetty.util.log.StdErrLog',
  ];
  const args = [...options, '-jar', jetty, '--host', '127.0.0.1', '--port', String(port), '--path', '/', war];
  const child = spawn('java', args, { cwd: folder, stdio: ['ignore', log, log] });
  closeSync(log);
  const isHealthy = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`Kill Bill did not start. See ${join(folder, 'kill-bill.log')}`);
    return fetch(`http://127.0.0.1:${port}/1.0/healthcheck`).then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await until('Kill Bill is healthy', isHealthy, 300_000);
  return child;
}

/** Packages that its plugin framework reads by reflection. */
const opened = [
  ...['io', 'lang', 'lang.reflect', 'net', 'security', 'time', 'util', 'util.concurrent'].map((name) => `java.${name}`),
  ...['file', 'ftp', 'http', 'https', 'jar', 'jrt'].map((name) => `sun.net.www.protocol.${name}`),
];

const logback = `<configuration>
  <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%date %-5level %logger{20} %msg%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="console"/></root>
</configuration>
`;

type Tenant = 'quiet' | 'told';

function headersOf(tenant: Tenant): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Authorization: `Basic ${Buffer.from('admin:password').toString('base64')}`,
    'X-Killbill-ApiKey': tenant,
    'X-Killbill-ApiSecret': tenant,
    'X-Killbill-CreatedBy': 'bench',
  };
}

/** Returns the id of the resource that was made. */
async function call(port: number, tenant: Tenant, path: string, body: string): Promise<string> {
  const options = { method: 'POST', headers: headersOf(tenant), ...(body && { body }) };
  const response = await fetch(`http://127.0.0.1:${port}/1.0/kb${path}`, options);
  if (response.status !== 201) throw new Error(`Kill Bill answers ${response.status}: ${await response.text()}`);
  return (response.headers.get('location') ?? '').split('/').at(-1)!;
}

async function createTenant(port: number, tenant: Tenant): Promise<Tenant> {
  await call(port, tenant, '/tenants', JSON.stringify({ apiKey: tenant, apiSecret: tenant }));
  return tenant;
}

/** Accounts with a payment method. */
async function createAccounts(port: number, tenant: Tenant): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < accounts; at += 1) {
    const payer = { name: 'Ines Duarte', externalKey: `${tenant}-${at}`, email: `payer-${at}@shop.example` };
    const id = await call(port, tenant, '/accounts', JSON.stringify({ ...payer, currency: 'EUR' }));
    const method = JSON.stringify({ pluginName: 'killbill-payment-test', pluginInfo: {} });
    await call(port, tenant, `/accounts/${id}/paymentMethods?isDefault=true`, method);
    ids.push(id);
  }
  return ids;
}
