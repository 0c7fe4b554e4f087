import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { declineReasons, errorKinds } from '../core/errors.ts';
import { root } from './support/start-gateway.ts';

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
});
