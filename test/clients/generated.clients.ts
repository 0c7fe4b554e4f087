/**
 * `npm run test:clients`: generates a client from `/openapi.json` in each language, compiles the shop and the receiver
 * of that language, and runs both against a gateway. It needs the tools of the languages, and names those that are
 * missing. `npm run test:clients -- --grep Python` tries one language.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { languages, type Language } from './languages.ts';
import { run, runInBackground, type Background } from './run-program.ts';

describe('a generated client', function () {
  this.timeout(1_800_000);
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['provider-a'], worksLater: true });
  });
  after(async () => gateway.close());

  for (const language of languages) {
    it(`pays, refunds, and verifies notifications in ${language.name}`, async () => {
      await requireTools(language);
      const folder = await mkdtemp(join(tmpdir(), `paywright-${language.folder}-`));
      try {
        const document = await fetch(`${gateway.url}/openapi.json`);
        await writeFile(join(folder, 'openapi.json'), await document.text());
        await language.build(folder);
        await payAndVerify(language, folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  async function payAndVerify(language: Language, folder: string): Promise<void> {
    const port = await chooseFreePort();
    const env = { PORT: String(port), WEBHOOK_SECRET: gateway.webhookSecret };
    const receiver = runInBackground(language.receiver(folder, port), { cwd: folder, env });
    try {
      const url = `http://127.0.0.1:${port}/`;
      await until('the receiver answers', async () => (await post(url, '{}', {})) === 401);
      const shop = await run(language.shop(folder), {
        cwd: folder,
        env: { GATEWAY_URL: gateway.url, API_KEY: gateway.key, NOTIFY_URL: url },
      });
      const [paid = '', refunds, declined] = shop.trim().split('\n');
      const [, id] = /^paid (\d+)$/.exec(paid) ?? expect.fail(shop);
      expect([refunds, declined]).to.deep.equal(['refunds 5.1 left 20.8', 'declined PAY001 51']);
      await expectNotifications(receiver, Number(id));
      const { json } = await gateway.get(`/payment-requests/${id}`);
      expect(json).to.include({ paymentRequestStatusId: 2, refundedAmount: 5.1, refundableAmount: 20.8 });
      await expectRefusal(receiver, url);
    } finally {
      await receiver.stop();
    }
  }

  async function expectNotifications(receiver: Background, id: number): Promise<void> {
    const expected = [`payment.succeeded ${id}`, `payment.partially_refunded ${id}`];
    const found = await until('both notifications arrive', async () => {
      const lines = receiver.lines().filter((line) => line.endsWith(String(id)));
      return lines.length >= expected.length && lines;
    });
    expect(found).to.have.members(expected);
    const delivered = await until('both are delivered', async () => {
      const { json } = await gateway.get(`/notifications?paymentRequestId=${id}&state=delivered`);
      return json.items.length === expected.length && json.items;
    });
    expect(delivered.map(({ attempts }: { readonly attempts: readonly object[] }) => attempts.length)).to.deep.equal([
      1, 1,
    ]);
  }

  /** A message with a signature that is not the gateway's. */
  async function expectRefusal(receiver: Background, url: string): Promise<void> {
    const headers = {
      'webhook-id': '1-1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${Buffer.alloc(32, 7).toString('base64')}`,
    };
    expect(await post(url, '{"type":"payment.succeeded","data":{"paymentRequest":{"id":1}}}', headers)).to.equal(401);
    expect(receiver.lines()).to.not.include('payment.succeeded 1');
  }
});

async function requireTools({ name, tools }: Language): Promise<void> {
  const missing: string[] = [];
  for (const { command, install } of tools) {
    await run(command, { cwd: tmpdir() }).catch(() => missing.push(`${command[0]}: ${install}`));
  }
  if (missing.length > 0) expect.fail(`tools of ${name} are missing. Install:\n${missing.join('\n')}`);
}

/** The status of the answer; 0: no answer. */
async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } }).then(
    ({ status }) => status,
    () => 0,
  );
}
