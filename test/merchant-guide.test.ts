import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { declineReasons, errorKinds } from '../core/errors.ts';
import { root, startGateway, type TestGateway } from './support/start-gateway.ts';

const guide = readFileSync(join(root, 'core/http/README.md'), 'utf8');

describe("the merchant's guide", () => {
  it('tells every error as it is, and no other', () => {
    const told = [...guide.matchAll(/^\| ([A-Z]+\d{3}) +\| (\d{3}) +\| (.*?) +\|$/gm)].map(([, ...cells]) => cells);
    const real = Object.values(errorKinds).map(({ code, status, title }) => [code, String(status), title]);
    expect(told).to.have.deep.members(real);
  });

  it('tells every decline code in the words of the specification', () => {
    for (const [code, words] of Object.entries(declineReasons)) expect(guide).to.include(`${code} ${words}`);
  });

  it('verifies a notification with its own lines', async () => {
    const [, source = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
    const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      isGenuine: (body: Buffer, header: string | undefined, secret: string) => boolean;
    };
    const [body, secret] = [Buffer.from('{"amount":25.90}'), 'whsec_c2VjcmV0'];
    const header = createHmac('sha512', secret).update(body).digest('hex');
    expect(module.isGenuine(body, header, secret)).to.equal(true);
    expect(module.isGenuine(body, header, `${secret}x`)).to.equal(false);
    expect(module.isGenuine(Buffer.from('{"amount":25.9}'), header, secret)).to.equal(false);
    expect(module.isGenuine(body, undefined, secret)).to.equal(false);
  });

  it('verifies a notification with its own lines in Python, where there is one', function () {
    if (spawnSync('python3', ['--version']).status !== 0) this.skip();
    const [, source = ''] = /```python\n([\s\S]*?)```/.exec(guide) ?? [];
    const [body, secret] = ['{"amount":25.90}', 'whsec_c2VjcmV0'];
    const header = createHmac('sha512', secret).update(body).digest('hex');
    const calls = [`'${header}'`, `'${header.slice(1)}0'`, 'None', "'é'"].map(
      (given) => `is_genuine(b'${body}', ${given}, '${secret}')`,
    );
    const { stdout, stderr } = spawnSync('python3', ['-c', `${source}\nprint(${calls.join(', ')})`], {
      encoding: 'utf8',
    });
    expect(stdout.trim(), stderr).to.equal('True False False False');
  });

  describe('on a gateway', () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ adapters: ['provider-a'] });
    });
    after(async () => gateway.close());

    const [, example = ''] = /h2h\/11[^{]*?-d '(\{[\s\S]*?\})'/.exec(guide) ?? [];
    const pay = async (changes: Readonly<Record<string, unknown>> = {}) => {
      const { notifyUrl: _, ...body } = JSON.parse(example) as Record<string, unknown>;
      return gateway.post('/payments/h2h/11', { ...body, ...changes });
    };

    it('pays with its own lines', async () => {
      const { status, json } = await pay();
      expect([status, json.paymentRequest.paymentRequestStatusId]).to.deep.equal([200, 2]);
    });

    it('tells what each card does', async () => {
      const cards = [...guide.matchAll(/(\d{16})(?:, …\d+)? +\| ([^|]+?) +\|/g)].map(([, ...cells]) => cells);
      expect(cards).to.have.length(12);
      for (const [number = '', words = ''] of cards) {
        const { json, status, text } = await pay({ number });
        const [, code] = /^declined (\d\d)$/.exec(words) ?? [];
        const seen =
          status === 200 ? [json.paymentRequest.paymentRequestStatusId, json.action?.type] : json.details.declineCode;
        const isPending = /^(3D|pending|charged, )/.test(words);
        expect(seen, `${number} ${text}`).to.deep.equal(
          code ?? (isPending ? [1, words.startsWith('3D') ? 'redirect' : undefined] : [2, undefined]),
        );
      }
    });

    it('tells which amounts fail before any charge', async () => {
      const { status, json } = await pay({ amount: 10.5 });
      expect([status, json.code]).to.deep.equal([500, 'PAY005']);
    });
  });
});
