/** Vendure's server on PostgreSQL, with the plugin of `vendure-server.cjs`. */
import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseFreePort } from '../../../workers/supervisor/dev/mongod/index.ts';
import { callbackKey } from '../../faults/provider.ts';
import { root } from '../../support/start-gateway.ts';
import { cpuMsOfTree } from '../process-figures.ts';
import { request } from '../wire.ts';
import { installVendure, vendureVersion } from './install.ts';
import type { Postgres } from './postgres.ts';
import { nothingToWaitFor, type Prepared, type System } from './system.ts';

const program = 'vendure-server.cjs';
const database = 'vendure';
const json = { 'Content-Type': 'application/json' };

export async function startVendure(
  postgres: Postgres,
  providerUrl: string,
  cache: string,
  report: (line: string) => void,
): Promise<System> {
  const folder = await installVendure(cache, report);
  await copyFile(join(root, 'test/bench/peers', program), join(folder, program));
  await postgres.createDatabase(database);
  const port = await chooseFreePort();
  const log = openSync(join(folder, 'vendure.log'), 'w');
  const child = fork(join(folder, program), [String(port), postgres.url(database), providerUrl, callbackKey], {
    cwd: folder,
    stdio: ['ignore', log, log, 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', VENDURE_DISABLE_TELEMETRY: 'true' },
  });
  closeSync(log);
  const order = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { order: number }) => resolve(message.order));
    child.once('exit', () => reject(new Error(`Vendure did not start. See ${join(folder, 'vendure.log')}`)));
  });
  const token = await signIn(port);
  let batches = 0;
  const post = (
    path: string,
    bodies: readonly string[],
    headersOf: (body: string) => Record<string, string>,
  ): Prepared => ({
    messages: bodies.map((body) => request('POST', path, { ...json, ...headersOf(body) }, body)),
    done: nothingToWaitFor,
  });
  return {
    name: 'Vendure',
    port,
    settings: [`Vendure ${vendureVersion}, Node ${process.version}, one process`, await postgres.settings()],
    counts: { charge: 150, webhook: 150, read: 600 },
    cpuMs: async () => {
      const [own, ofDatabase] = await Promise.all([cpuMsOfTree(child.pid!), postgres.cpuMs()]);
      return { all: own + ofDatabase, database: ofDatabase };
    },
    async prepare(workload, count) {
      if (workload === 'read') {
        const paid = `select id from "order" where state = 'PaymentSettled' order by id desc limit ${count}`;
        const ids = await postgres.query(database, paid);
        const bodies = Array.from({ length: count }, (_, at) =>
          JSON.stringify({ query: readQuery(ids[at % ids.length]!) }),
        );
        return post('/admin-api', bodies, () => ({ Authorization: `Bearer ${token}` }));
      }
      batches += 1;
      const codes = await copyOrder(postgres, order, `B${batches}-`, count);
      const bodies = codes.map((code) => JSON.stringify({ code }));
      if (workload === 'charge') return post('/bench/charge', bodies, () => ({}));
      return post('/bench/webhook', bodies, (body) => ({
        'X-Signature': createHmac('sha256', callbackKey).update(body).digest('hex'),
      }));
    },
    async close() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

function readQuery(id: string): string {
  const members = 'id code state totalWithTax currencyCode updatedAt';
  return `{ order(id: ${id}) { ${members} payments { id state amount method transactionId createdAt } } }`;
}

async function signIn(port: number): Promise<string> {
  const query = 'mutation { login(username: "bench", password: "bench") { __typename } }';
  const body = JSON.stringify({ query });
  const response = await fetch(`http://127.0.0.1:${port}/admin-api`, { method: 'POST', headers: json, body });
  const token = response.headers.get('vendure-auth-token');
  if (token === null) throw new Error(`Vendure refused the sign-in: ${await response.text()}`);
  return token;
}

/** Orders that wait for their payment. Making each through the interface would take longer than the measurement. */
async function copyOrder(postgres: Postgres, order: number, prefix: string, count: number): Promise<string[]> {
  const columnsOf = async (table: string, without: readonly string[]): Promise<{ into: string; from: string }> => {
    const excluded = ['id', ...without].map((name) => `'${name}'`).join(', ');
    const names = await postgres.query(
      database,
      `select column_name from information_schema.columns where table_name = '${table}' and column_name not in (${excluded})`,
    );
    const quoted = names.map((name) => `"${name}"`);
    return { into: quoted.join(', '), from: quoted.map((name) => `source.${name}`).join(', ') };
  };
  const orders = await columnsOf('order', ['code']);
  const statements = [
    `insert into "order" ("code", ${orders.into}) select '${prefix}' || n, ${orders.from}
     from "order" source, generate_series(1, ${count}) n where source.id = ${order}`,
  ];
  for (const table of ['shipping_line', 'order_line', 'order_channels_channel']) {
    const { into, from } = await columnsOf(table, ['orderId']);
    statements.push(
      `insert into "${table}" ("orderId", ${into}) select made.id, ${from} from "${table}" source, "order" made
       where source."orderId" = ${order} and made.code like '${prefix}%'`,
    );
  }
  for (const statement of statements) await postgres.query(database, statement);
  return postgres.query(database, `select code from "order" where code like '${prefix}%'`);
}
