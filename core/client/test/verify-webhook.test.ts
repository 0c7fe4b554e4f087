import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../verify-webhook.ts';
import type { WebhookHeaders } from '../verify-webhook.ts';

const secret = 'whsec_c2VjcmV0IG9mIHRoZSBzaG9wLCAzMiBieXRlcyE=';
const earlier = 'whsec_dGhlIHNlY3JldCBiZWZvcmUsIDMyIGJ5dGVzIHRvbyE=';
const now = new Date('2026-11-21T12:00:00Z');
const body = '{"id":"10042-1","type":"payment.succeeded","data":{"paymentRequest":{"amount":25.90,"notes":"é"}}}';
const signedAt = (at: Date, by = secret): Record<string, string> => ({
  'webhook-id': '10042-1',
  'webhook-timestamp': String(at.getTime() / 1000),
  'webhook-signature': new Webhook(by).sign('10042-1', at, body),
});
const headers = signedAt(now);

async function reasonOf(
  rawBody: string | Uint8Array,
  given: WebhookHeaders,
  by: string | string[] = secret,
): Promise<string> {
  try {
    await verifyWebhook(rawBody, given, by, { now });
    return 'genuine';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
}

describe('verifyWebhook', () => {
  it('returns a genuine message, with its amounts as decimal text', async () => {
    const notification = await verifyWebhook(body, headers, secret, { now });
    if (notification.type !== 'payment.succeeded') expect.fail(notification.type);
    const { amount, notes } = notification.data.paymentRequest;
    expect([notification.id, amount, notes]).to.deep.equal(['10042-1', '25.90', 'é']);
  });

  it('accepts bytes, and headers of fetch, of Node.js and of proxies', async () => {
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    for (const given of [headers, capitals, new Headers(headers), { ...headers, 'set-cookie': ['a', 'b'] }])
      expect(await reasonOf(new TextEncoder().encode(body), given)).to.equal('genuine');
  });

  it('accepts either secret during a rotation, whichever signed', async () => {
    const old = signedAt(now, earlier);
    const both = { ...headers, 'webhook-signature': `${headers['webhook-signature']} ${old['webhook-signature']}` };
    for (const given of [headers, old, both])
      expect(await reasonOf(body, given, [secret, earlier])).to.equal('genuine');
    expect(await reasonOf(body, both, earlier)).to.equal('genuine');
    expect(await reasonOf(body, old)).to.equal('invalid_signature');
  });

  it('refuses every change', async () => {
    const wrong = [
      [body.replace('25.90', '25.9'), headers],
      [`\uFEFF${body}`, headers],
      [body, { ...headers, 'webhook-id': '10042-2' }],
      [body, { ...headers, 'webhook-timestamp': String(now.getTime() / 1000 + 1) }],
      [body, { ...headers, 'webhook-signature': headers['webhook-signature']!.replace('v1,', 'v1a,') }],
      [body, { ...headers, 'webhook-signature': 'v1, v1,é v1,!!!! v1,AAAA' }],
    ] as const;
    for (const [given, by] of wrong)
      expect(await reasonOf(given, by), JSON.stringify(by)).to.equal('invalid_signature');
  });

  it('refuses a message that is too old, or from the future', async () => {
    for (const [seconds, reason] of [
      [-300, 'genuine'],
      [300, 'genuine'],
      [-301, 'stale'],
      [301, 'stale'],
    ] as const) {
      expect(await reasonOf(body, signedAt(new Date(now.getTime() + seconds * 1000))), `${seconds} s`).to.equal(reason);
    }
  });

  it('refuses a message without all three headers', async () => {
    for (const name of Object.keys(headers)) {
      expect(await reasonOf(body, { ...headers, [name]: undefined }), name).to.equal('missing_headers');
      expect(await reasonOf(body, { ...headers, [name]: '' }), name).to.equal('missing_headers');
    }
    expect(await reasonOf(body, { ...headers, 'webhook-timestamp': 'today' })).to.equal('missing_headers');
  });

  it('reports a secret that is not one', async () => {
    for (const wrong of [undefined, '', 'secret', 'whsec_', 'whsec_é']) {
      const thrown = await verifyWebhook(body, headers, wrong, { now }).catch((error: unknown) => error);
      expect(thrown, wrong).to.be.instanceOf(TypeError);
    }
  });
});
