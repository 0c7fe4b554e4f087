/**
 * The receivers of the client package in the real frameworks. Each framework is installed into an empty project
 * together with the packed client, and receives a signed notification, a forged one and a repetition.
 */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { root } from '../support/start-gateway.ts';
import { run, runInBackground } from './run-program.ts';

const secret = 'whsec_c2VjcmV0IG9mIHRoZSBzaG9wLCAzMiBieXRlcyE=';
const body = '{"id":"10042-1","type":"payment.succeeded","data":{"paymentRequest":{"amount":25.90}}}';

/** Prints each stored id once, as a table with a primary key would keep it. */
const receiver = `
import { createReceiver, toExpress, toFastify, toFetchHandler, toKoa } from '@paywright/client/receive';
const stored = new Set();
export const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET,
  store: ({ id }) => void stored.add(id),
  onStored: ({ id, data }) => console.log('stored', id, data.paymentRequest.amount, stored.size),
});
export { toExpress, toFastify, toFetchHandler, toKoa };
`;

interface Framework {
  readonly name: string;
  readonly packages: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly build?: readonly string[];
  readonly start: readonly string[];
}

const frameworks: readonly Framework[] = [
  {
    name: 'Express',
    packages: ['express@5'],
    files: {
      'app.js': `
import express from 'express';
import { receiver, toExpress } from './receiver.js';
const app = express();
app.post('/webhooks', toExpress(receiver));
app.use(express.json());
app.listen(process.env.PORT, '127.0.0.1');`,
    },
    start: ['node', 'app.js'],
  },
  {
    name: 'Koa',
    packages: ['koa@3', '@koa/router@15', 'koa-bodyparser@4'],
    files: {
      'app.js': `
import Koa from 'koa';
import Router from '@koa/router';
import bodyParser from 'koa-bodyparser';
import { receiver, toKoa } from './receiver.js';
const router = new Router();
router.post('/webhooks', toKoa(receiver));
new Koa().use(router.routes()).use(bodyParser()).listen(process.env.PORT, '127.0.0.1');`,
    },
    start: ['node', 'app.js'],
  },
  {
    name: 'Fastify',
    packages: ['fastify@5'],
    files: {
      'app.js': `
import Fastify from 'fastify';
import { receiver, toFastify } from './receiver.js';
const app = Fastify();
app.register(toFastify(receiver, '/webhooks'));
app.post('/orders', async ({ body }) => body);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });`,
    },
    start: ['node', 'app.js'],
  },
  {
    name: 'Next.js',
    packages: ['next@16', 'react@19', 'react-dom@19'],
    files: {
      'app/layout.js': `export default ({ children }) => <html lang="en"><body>{children}</body></html>;`,
      'app/page.js': `export default () => <p>A shop</p>;`,
      'app/webhooks/route.js': `
import { receiver, toFetchHandler } from '../../receiver.js';
export const POST = toFetchHandler(receiver);`,
    },
    build: ['npx', 'next', 'build'],
    start: ['npx', 'next', 'start', '--hostname', '127.0.0.1'],
  },
  {
    name: 'Deno',
    packages: ['deno@2'],
    files: {
      'app.js': `
import { receiver, toFetchHandler } from './receiver.js';
Deno.serve({ port: Number(Deno.env.get('PORT')), hostname: '127.0.0.1' }, toFetchHandler(receiver));`,
    },
    start: ['npx', 'deno', 'run', '--node-modules-dir=manual', '--allow-net', '--allow-env', 'app.js'],
  },
  {
    name: 'Bun',
    packages: ['bun@1'],
    files: {
      'app.js': `
import { receiver, toFetchHandler } from './receiver.js';
Bun.serve({ port: Number(process.env.PORT), hostname: '127.0.0.1', fetch: toFetchHandler(receiver) });`,
    },
    start: ['npx', 'bun', 'app.js'],
  },
];

function signed(id: string, by = secret): Record<string, string> {
  const at = new Date();
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign(id, at, body),
  };
}

describe('a receiver of the client package', function () {
  this.timeout(900_000);
  let folder: string;
  let client: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paywright-receivers-'));
    const words = ['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const [packed] = JSON.parse(await run(words, { cwd: join(root, 'core/client') })) as [{ filename: string }];
    client = join(folder, packed.filename);
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  for (const { name, packages, files, build, start } of frameworks) {
    it(`stores a notification, and refuses a forged one, in ${name}`, async () => {
      const project = join(folder, name);
      const all = { 'package.json': '{ "private": true, "type": "module" }', 'receiver.js': receiver, ...files };
      for (const [path, text] of Object.entries(all)) {
        await mkdir(dirname(join(project, path)), { recursive: true });
        await writeFile(join(project, path), text);
      }
      await run(['npm', 'install', '--no-audit', '--no-fund', client, ...packages], { cwd: project });
      const port = await chooseFreePort();
      const env = { WEBHOOK_SECRET: secret, PORT: `${port}`, NEXT_TELEMETRY_DISABLED: '1' };
      if (build) await run(build, { cwd: project, env });
      const app = runInBackground(start, { cwd: project, env });
      const post = async (headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
        fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body }).then(
          ({ status }) => status,
          () => undefined,
        );
      try {
        const forged = signed('10042-1', 'whsec_dGhlIHNlY3JldCBiZWZvcmUsIDMyIGJ5dGVzIHRvbyE=');
        expect(await until('the app answers', async () => post(forged))).to.equal(401);
        expect(await post(signed('10042-1'))).to.equal(204);
        expect(await post(signed('10042-1'))).to.equal(204);
        const lines = await until('both are processed', () => {
          const printed = app.lines().filter((line) => line.startsWith('stored'));
          return printed.length === 2 && printed;
        });
        expect(lines).to.deep.equal(['stored 10042-1 25.90 1', 'stored 10042-1 25.90 1']);
      } finally {
        await app.stop();
      }
    });
  }
});
