import { reply, type Answers } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkAccount, webhookEvents } from '../check-account.ts';
import { API_VERSION } from '../wire.ts';
import { harness } from './messages.ts';

const { callWith } = harness;

const endpoint = {
  url: 'https://gateway.example/callbacks/stripe',
  status: 'enabled',
  enabled_events: webhookEvents,
  api_version: API_VERSION,
};
const list = (...data: object[]) => reply(200, { object: 'list', data, has_more: false });
const fit = reply(200, { id: 'acct_1', object: 'account', charges_enabled: true });

async function findings(answers: Answers, sandbox = true): Promise<string[]> {
  const found = await callWith(answers, checkAccount, { sandbox });
  return found.map(({ ok, finding }) => `${ok ? 'ok' : 'not ok'}: ${finding}`);
}

describe('checkAccount', () => {
  it('accepts an account that can charge and a webhook that reports all events', async () => {
    const url = 'https://gateway.example/callbacks/stripe';
    const both = ['ok: the account can accept payments', `ok: the webhook for ${url} reports all required events`];
    expect(await findings([fit, list(endpoint)])).to.deep.equal(both);
    expect(await findings([fit, list({ ...endpoint, enabled_events: ['*'] })])).to.deep.equal(both);
  });

  it('finds a key of the wrong side and then sends no request', async () => {
    expect(await findings([], false)).to.deep.equal(['not ok: secretKey is a test key, but this is the live side']);
  });

  it('finds an account that cannot charge, and the reason', async () => {
    const held = { charges_enabled: false, requirements: { disabled_reason: 'requirements.past_due' } };
    const [first] = await findings([reply(200, held), list(endpoint)]);
    expect(first).to.equal('not ok: Stripe accepts no payments for this account: requirements.past_due');
  });

  it('finds a key that Stripe refuses', async () => {
    const refused = reply(401, { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } });
    expect(await findings([refused, refused])).to.deep.equal([
      'not ok: Stripe answered 401 invalid_request_error',
      'not ok: Stripe answered 401 invalid_request_error',
    ]);
  });

  for (const [what, changed, words] of [
    ['is elsewhere', { url: 'https://other.example/callbacks/stripe' }, 'Stripe has no webhook for'],
    ['is disabled', { status: 'disabled' }, 'is disabled'],
    [
      'lacks events',
      { enabled_events: webhookEvents.slice(2) },
      'lacks payment_intent.succeeded, payment_intent.payment_failed',
    ],
    ['has another version', { api_version: '2020-08-27' }, 'has 2020-08-27'],
    ['has the default version', { api_version: null }, "has the account's default version"],
  ] as const) {
    it(`finds a webhook that ${what}`, async () => {
      const [, second = ''] = await findings([fit, list({ ...endpoint, ...changed })]);
      expect(second)
        .to.match(/^not ok/)
        .and.include(words);
    });
  }
});
