import type { AdapterContext, HttpReply, HttpRequest } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkAccount } from '../check-account.ts';
import adyen from '../index.ts';
import type { Options } from '../options.ts';
import { neededEvents } from '../statuses.ts';
import { harness, error } from './messages.ts';

const { createContext, options } = harness;

const managed = { ...options, managementBaseUrl: 'https://management-live.adyen.com/v3' };
const webhook = {
  type: 'standard',
  url: 'https://gateway.example/callbacks/adyen',
  active: true,
  communicationFormat: 'json',
  username: 'gateway',
  hmacKeyCheckValue: 'E2C1A0',
};
const methods = reply(200, { paymentMethods: [{ type: 'ideal' }, { type: 'scheme' }] });

/** The findings, with the calls that were made. */
async function check(given: Options, answers: Readonly<Record<string, HttpReply>>) {
  const sent: HttpRequest[] = [];
  const http = {
    async send(request: HttpRequest) {
      sent.push(request);
      return answers[request.path.split('?')[0]!] ?? reply(404, {});
    },
  };
  const ctx: AdapterContext<Options> = { ...createContext(), options: given, http };
  const findings = await checkAccount(ctx);
  return { sent, faults: findings.filter(({ ok }) => !ok).map(({ finding }) => finding), findings };
}

describe('checkAccount', () => {
  it('prints the name of every event that the webhook must send', () => {
    const console = adyen.manifest.console?.join('\n') ?? '';
    expect(neededEvents.filter((event) => !console.includes(event))).to.deep.equal([]);
  });

  it('requests only the payment methods, which charges nothing, if no management address is set', async () => {
    const { sent, faults } = await check(options, { '/paymentMethods': methods });
    expect(sent.map(({ path, chargesNothing }) => [path, chargesNothing])).to.deep.equal([['/paymentMethods', true]]);
    expect(faults).to.deep.equal([]);
  });

  it('finds a key of the other side or of another account, and then sends no other request', async () => {
    const { sent, faults, findings } = await check(managed, { '/paymentMethods': error(401, '000', 'security') });
    expect([sent.length, faults]).to.deep.equal([1, ['Adyen answered 401 000 to the live key']]);
    expect(findings[0]?.cure).to.contain('live key in apiKey');
    expect(JSON.stringify(findings)).not.to.contain(options.apiKey);
  });

  it('finds an account without cards', async () => {
    const { faults } = await check(options, { '/paymentMethods': reply(200, { paymentMethods: [{ type: 'ideal' }] }) });
    expect(faults).to.have.length(1).and.have.nested.property('[0]').that.contains('accepts no cards');
  });

  const merchant = '/merchants/GatewayDemoECOM';
  const answers = (more: object, status = 'Active') => ({
    '/paymentMethods': methods,
    [merchant]: reply(200, { id: 'GatewayDemoECOM', status }),
    [`${merchant}/webhooks`]: reply(200, { data: [{ ...webhook, ...more }] }),
  });
  for (const [title, more, fault] of [
    ['nothing if everything is correct', {}, undefined],
    ['a webhook to another address', { url: 'https://old.example/callbacks/adyen' }, /^no standard webhook goes to/],
    ['a webhook that is off', { active: false }, /is not active$/],
    ['a webhook in another format', { communicationFormat: 'soap' }, /speaks soap$/],
    ['a different user name', { username: 'other' }, /has a different user name$/],
    ['a webhook without a key', { hmacKeyCheckValue: '' }, /is not signed$/],
    [
      'events that are not selected',
      { additionalSettings: { includeEventCodes: ['EXPIRE', 'OFFER_CLOSED', 'POSTPONED_REFUND', 'TECHNICAL_CANCEL'] } },
      /does not send CAPTURE_FAILED$/,
    ],
    [
      'events that are left out',
      { additionalSettings: { includeEventCodes: [], excludeEventCodes: ['CAPTURE', 'REPORT_AVAILABLE'] } },
      /does not send CAPTURE$/,
    ],
    ['a failing webhook', { hasError: true }, /fails$/],
  ] as const) {
    it(`finds ${title}`, async () => {
      const { faults, sent } = await check(managed, answers(more));
      expect(sent.slice(1).every(({ to }) => to === 'managementBaseUrl')).to.equal(true);
      if (fault)
        expect(faults)
          .to.have.length(1)
          .and.satisfy(([first = '']) => fault.test(first));
      else expect(faults).to.deep.equal([]);
    });
  }

  it('finds a restricted account', async () => {
    expect((await check(managed, answers({}, 'Inactive'))).faults).to.deep.equal(['the merchant account is Inactive']);
  });

  it('reports what it may not check, and does not count it as a fault', async () => {
    const { faults, findings } = await check(managed, {
      '/paymentMethods': methods,
      [merchant]: error(403, '010', 'security'),
    });
    expect([faults, findings.length]).to.deep.equal([[], 3]);
  });
});
