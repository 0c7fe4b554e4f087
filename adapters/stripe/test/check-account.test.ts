import { reply, type Answers } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkAccount, webhookEvents } from '../check-account.ts';
import { shownMethods, type Options } from '../options.ts';
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
const settings = (offered: readonly string[], members: object = {}) => {
  const methods = Object.fromEntries([...shownMethods].map((name) => [name, { available: offered.includes(name) }]));
  const head = { object: 'payment_method_configuration', active: true, application: null, is_default: true };
  return { ...head, ...methods, ...members };
};
const usual = list(settings(['card', 'apple_pay', 'google_pay']));
const fit = reply(200, { id: 'acct_1', object: 'account', charges_enabled: true });

async function findings(answers: Answers, sandbox = true, given: Partial<Options> = {}): Promise<string[]> {
  const found = await callWith(answers, checkAccount, { sandbox, options: given });
  return found.map(({ ok, finding }) => `${ok ? 'ok' : 'not ok'}: ${finding}`);
}

describe('checkAccount', () => {
  it('accepts an account that can charge and a webhook that reports all events', async () => {
    const url = 'https://gateway.example/callbacks/stripe';
    const all = [
      'ok: the account can accept payments',
      `ok: the webhook for ${url} reports all required events`,
      'ok: at its page Stripe offers card, apple_pay, google_pay',
    ];
    expect(await findings([fit, list(endpoint), usual])).to.deep.equal(all);
    expect(await findings([fit, list({ ...endpoint, enabled_events: ['*'] }), usual])).to.deep.equal(all);
  });

  it('finds a key of the wrong side and then sends no request', async () => {
    expect(await findings([], false)).to.deep.equal(['not ok: secretKey is a test key, but this is the live side']);
  });

  it('finds an account that cannot charge, and the reason', async () => {
    const held = { charges_enabled: false, requirements: { disabled_reason: 'requirements.past_due' } };
    const [first] = await findings([reply(200, held), list(endpoint), usual]);
    expect(first).to.equal('not ok: Stripe accepts no payments for this account: requirements.past_due');
  });

  it('finds a key that Stripe refuses', async () => {
    const refused = reply(401, { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } });
    expect(await findings([refused, refused, refused])).to.deep.equal([
      'not ok: Stripe answered 401 invalid_request_error',
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
      const [, second = ''] = await findings([fit, list({ ...endpoint, ...changed }), usual]);
      expect(second)
        .to.match(/^not ok/)
        .and.include(words);
    });
  }

  describe('the payment methods of Checkout', () => {
    const methods = async (configurations: readonly object[], given: Partial<Options> = {}): Promise<string[]> =>
      (await findings([fit, list(endpoint), list(...configurations)], true, given)).slice(2);

    it('are those of the default settings, not of an application or of another configuration', async () => {
      const others = [settings(['klarna'], { application: 'ca_1' }), settings(['klarna'], { is_default: false })];
      const ours = settings(['card', 'apple_pay', 'google_pay']);
      expect(await methods([...others, ours])).to.deep.equal([
        'ok: at its page Stripe offers card, apple_pay, google_pay',
      ]);
      expect(await methods(others)).to.deep.equal(['not ok: Stripe shows no default payment methods']);
    });

    it('must include what the payer’s page names', async () => {
      const offered = settings(['card', 'klarna', 'apple_pay', 'google_pay']);
      expect(await methods([offered], { pageShows: ['card', 'klarna', 'ideal'] })).to.include(
        'not ok: pageShows names ideal, which Stripe does not offer',
      );
    });

    it('are named if a wallet is off', async () => {
      expect((await methods([settings(['card', 'apple_pay'])])).at(-1)).to.equal('ok: google_pay is off');
    });

    it('are not read if Checkout offers only cards', async () => {
      expect((await findings([fit, list(endpoint)], true, { pageMethods: 'card' })).slice(2)).to.deep.equal([]);
    });
  });
});
