import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkAccount, webhookEvents } from '../check-account.ts';
import { context, granted, options } from './messages.ts';

const [id] = options.webhookIds;
const url = 'https://gateway.example/callbacks/paypal';
const all = webhookEvents.map((name) => ({ name }));
const disputes = reply(200, { items: [] });

async function findingsOf(webhooks: readonly object[], cases = disputes) {
  const { ctx } = context([granted(), reply(200, { webhooks }), cases]);
  return (await checkAccount(ctx)).map(({ ok, finding }) => `${ok} ${finding}`);
}

describe('checkAccount', () => {
  it('accepts a webhook that reports every required event, or every event', async () => {
    for (const event_types of [all, [{ name: '*' }]]) {
      const findings = await findingsOf([{ id, url, event_types }]);
      expect(findings).to.deep.equal([
        'true PayPal accepts clientId and clientSecret',
        `true the webhook to ${url} reports all required events`,
        'true the app can read disputes',
      ]);
    }
  });

  it('reports a webhook that is missing, goes to another address, or lacks events', async () => {
    expect((await findingsOf([]))[1]).to.equal('false PayPal has no webhook with the first id of webhookIds');
    const elsewhere = { id, url: 'https://old.example/callbacks/paypal', event_types: all };
    expect((await findingsOf([elsewhere]))[1]).to.match(/^false the webhook goes to https:\/\/old/);
    expect((await findingsOf([{ id, url, event_types: all.slice(1) }]))[1]).to.match(/lacks CHECKOUT.ORDER.APPROVED$/);
  });

  it('reports an app that cannot read disputes', async () => {
    const refused = reply(403, { name: 'NOT_AUTHORIZED' });
    const findings = await findingsOf([{ id, url, event_types: all }], refused);
    expect(findings[2]).to.equal('false the app cannot read disputes: PayPal answered 403 NOT_AUTHORIZED');
  });

  it('reports a secret that PayPal refuses', async () => {
    const { ctx } = context([reply(401, { error: 'invalid_client' })]);
    const failed: unknown = await checkAccount(ctx).catch((error: unknown) => error);
    expect(failed).to.include({ misconfigured: true });
    expect(String(failed)).to.match(/401 invalid_client\): check clientId and clientSecret$/);
  });
});
