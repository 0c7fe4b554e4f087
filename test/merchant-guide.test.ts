/** Compares the merchant's guide with the service: its tables, numbers, examples and programs. */
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { errorKinds } from '../core/base/errors.ts';
import { idempotencyKeyLimits } from '../core/engine/access/index.ts';
import { describeDelivery, notificationTypes } from '../core/http/notifications/webhooks.ts';
import { currentVersion, deprecatedVersion } from '../core/http/middleware/versions.ts';
import { batchSize } from '../core/http/payment-requests/schema.ts';
import { loadConfig } from '../config/load-config.ts';
import { until } from '../core/base/testing/until.ts';
import { formatSeconds } from '../core/http/openapi/durations.ts';
import { renderGuidePages } from './guide/generated-parts.ts';
import { languages, startGuideReceiver, type RunningReceiver } from './support/guide-receiver.ts';
import { root, startGateway, type TestGateway } from './support/start-gateway.ts';

const folder = 'core/docs/guide';
const merchantScopes = ['payments:write', 'requests:write', 'requests:read', 'notifications:write'];
const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8');
const guide = readdirSync(join(root, folder))
  .filter((name) => name.endsWith('.md'))
  .map((page) => read(folder, page))
  .join('\n');

describe("the merchant's guide", () => {
  it('lists every error exactly, and no other', () => {
    const listed = [...guide.matchAll(/^\| ([A-Z]+\d{3}) +\| (\d{3}|–) +\| (.*?) +\|$/gm)].map(([, ...cells]) => cells);
    // A kind that no response has also has no status.
    const statusOf = (code: string, status: number): string => (code === 'WH002' ? '–' : String(status));
    const real = Object.values(errorKinds).map(({ code, status, title }) => [code, statusOf(code, status), title]);
    expect(listed).to.have.deep.members(real);
  });

  it('names only the client of the npm registry, because other people own the names without our scope', () => {
    const openapi = read('core/client/generated/types.ts');
    for (const [name, text] of Object.entries({ guide, client: read('core/client/README.md'), openapi })) {
      expect(text, name).to.not.match(/npx (gateway|paywright|@(?!paywright\/client ))/);
      expect(text, name).to.not.match(/npm (i|install|add) (gateway|paywright|@(gateway|paywright(?!\/client\b)))/);
    }
    expect(read('core/client/README.md')).to.contain('npm pack -w @paywright/client');
  });

  it('has the tables that its generator writes', async () => {
    const pages = Object.entries(await renderGuidePages());
    expect(pages).to.have.length.above(1);
    for (const scope of merchantScopes) expect(read('core/docs/guide/authentication.md')).to.include(`\`${scope}\``);
    for (const [path, text] of pages) expect(readFileSync(path, 'utf8'), path).to.equal(text);
  });

  it('says for every error whether to retry', () => {
    const [, section = ''] = /^## When to retry\n([^]*?)^## /m.exec(read('core/docs/guide/errors.md')) ?? [];
    const listed = [...section.matchAll(/^\| ([A-Z]+\d{3}) /gm)].map(([, code]) => code);
    expect(listed).to.have.members(Object.values(errorKinds).map(({ code }) => code));
  });

  it('shows the delays between the attempts of a notification', async () => {
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    const rows = [...read('core/docs/guide/webhooks.md').matchAll(/^\| (\d{1,2}) +\| (.+?) +\|$/gm)].map(
      ([, n, words]) => [Number(n), words],
    );
    const inWords = (seconds: number): string => (seconds === 0 ? 'immediately' : formatSeconds(seconds));
    expect(rows).to.deep.equal(
      config.notifications.attemptDelaysSeconds.map((seconds, at) => [at + 1, inWords(seconds)]),
    );
  });

  it('states limits, retries and time spans as config and code define them', async () => {
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    const { keepHours, maxLength } = idempotencyKeyLimits;
    expect(guide)
      .to.include(describeDelivery(config.notifications))
      .and.include(`creates up to ${batchSize} payment requests`)
      .and.include(`at most ${config.payments.expireAtMostAfterHours} hours ahead`)
      .and.include(`the default is ${config.payments.expireCreatedAfterHours} hours after creation`)
      .and.include(`\`Idempotency-Key\` (1–${maxLength} characters)`)
      .and.include(`within ${keepHours} h`)
      .and.include(`\`X-API-Version\` is \`${currentVersion}\` (default) or \`${deprecatedVersion.version}\``);
  });

  it('names every notification type', () => {
    for (const type of Object.keys(notificationTypes)) expect(guide).to.include(`\`${type}\``);
  });

  describe('on a gateway', () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ adapters: ['provider-a', 'token'] });
    });
    after(async () => gateway.close());

    const [, example = ''] = /h2h\/11[^{]*?-d '(\{[\s\S]*?\})'/.exec(guide) ?? [];
    const pay = async (changes: Readonly<Record<string, unknown>> = {}) => {
      const { notifyUrl: _, ...body } = JSON.parse(example) as Record<string, unknown>;
      return gateway.post('/payments/h2h/11', { ...body, ...changes });
    };

    it('pays with its own example', async () => {
      const { status, json } = await pay();
      expect([status, json.paymentRequest.paymentRequestStatusId]).to.deep.equal([200, 2]);
    });

    it('pays by token with the member that it names', async () => {
      const [, code = '', member = ''] = /^\| a card token +\| (\d+) +\| `(\w+)`/m.exec(guide) ?? [];
      const [, token = ''] = /token `(tok_approved)`/.exec(guide) ?? [];
      const { notifyUrl: _, number: __, expiration: ___, cvv: ____, ...body } = JSON.parse(example);
      const { status, text } = await gateway.post(`/payments/h2h/${code}`, { ...body, [member]: token });
      expect(status, text).to.equal(200);
    });

    it('makes a batch with its own body', async () => {
      const [, body = ''] = /`POST \/payment-requests\/batch` with `(.*?)`/.exec(guide) ?? [];
      const { status, json } = await gateway.post('/payment-requests/batch', JSON.parse(body.replace(', …', '')));
      expect([status, json.results.length, json.results[0].id > 0]).to.deep.equal([200, 1, true]);
    });

    it('verifies a signature at each path that it names', async () => {
      const headers = { 'X-API-Key': gateway.key, 'X-Webhook-Signature': signatureOf('{}', gateway.webhookSecret) };
      const json = await fetch(`${gateway.url}/callbacks/test/json`, { method: 'POST', body: '{}', headers });
      expect(await json.json()).to.include({ signatureValid: true });
      const text = await fetch(`${gateway.url}/callbacks/test/text`, { headers });
      expect([await text.text(), text.headers.get('x-signature-valid')]).to.deep.equal(['OK', 'false']);
    });

    for (const language of languages) {
      describe(`its receiver in ${language.name}`, () => {
        let receiver: RunningReceiver | undefined;
        before(async function () {
          this.timeout(300_000);
          if (spawnSync(language.command, [language.versionFlag]).status !== 0) this.skip();
          receiver = await startGuideReceiver(language, read('core/docs/guide/webhooks.md'), gateway.webhookSecret);
        });
        after(async () => receiver?.close());

        it('refuses a body that the secret did not sign', async () => {
          const { url, lines } = receiver!;
          const body = '{"id":"forged-1","type":"payment.succeeded","amount":25.90,"data":{}}';
          const forged = [
            {},
            { 'X-Webhook-Signature': 'é' },
            { 'X-Webhook-Signature': '' },
            { 'X-Webhook-Signature': signatureOf(body, `${gateway.webhookSecret}x`) },
            { 'X-Webhook-Signature': signatureOf(body.replace('25.90', '25.9'), gateway.webhookSecret) },
          ];
          for (const headers of forged) {
            const { status } = await fetch(url, { method: 'POST', body, headers });
            expect(status, JSON.stringify(headers)).to.equal(401);
          }
          expect(lines()).not.to.include('forged-1');
        });

        it('works on a stored notification whose work was not done before it stopped', async () => {
          await until('the work is done', async () => receiver!.lines().includes('left-1'));
        });

        it('accepts the previous secret during a rotation', async () => {
          const { url, lines } = receiver!;
          const body = '{"id":"rotated-1","type":"payment.succeeded","data":{}}';
          const headers = {
            'X-Webhook-Signature': signatureOf(body, 'whsec_new'),
            'X-Webhook-Signature-Previous': signatureOf(body, gateway.webhookSecret),
          };
          const { status } = await fetch(url, { method: 'POST', body, headers });
          expect(status).to.equal(204);
          await until('it is accepted', async () => lines().includes('rotated-1'));
        });

        it('accepts what the gateway sends, and processes a repeated delivery once', async () => {
          const { url, lines } = receiver!;
          const { json } = await pay({ notifyUrl: url });
          const { id } = json.paymentRequest;
          const attempts = async (count: number) =>
            until(`${count} attempts are delivered`, async () => {
              const { json: page } = await gateway.get(`/notifications?paymentRequestId=${id}`);
              const [notification] = page.items;
              return notification?.state === 'delivered' && notification.attempts.length === count && notification;
            });
          const notification = await attempts(1);
          await gateway.post(`/notifications/${notification.id}/resend`, {});
          const { attempts: all } = await attempts(2);
          expect(all.map(({ status }: { readonly status: number }) => status)).to.deep.equal([204, 204]);
          // The receiver writes in order: when this line is there, all earlier lines are.
          const last = `{"id":"after-${notification.id}","type":"payment.succeeded","data":{}}`;
          const headers = { 'X-Webhook-Signature': signatureOf(last, gateway.webhookSecret) };
          await fetch(url, { method: 'POST', body: last, headers });
          await until('it has written everything', async () => lines().includes(`after-${notification.id}`));
          expect(lines().filter((line) => line === notification.id)).to.have.length(1);
        });
      });
    }

    it('names amounts that fail before any charge', async () => {
      const { status, json } = await pay({ amount: 10.5 });
      expect([status, json.code]).to.deep.equal([500, 'PAY005']);
    });
  });
});

function signatureOf(body: string, secret: string): string {
  return createHmac('sha512', secret).update(body).digest('hex');
}
