/** Pays with every test value that a sandbox describes, and compares the answer with the description. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { testAmounts, testCards } from '@paywright/contract/sandbox';
import { until } from '../core/base/testing/until.ts';
import { inOwnUnit } from '../core/http/payments/adapter-bounds.ts';
import { payer } from './support/bodies.ts';
import { readSandboxes, type DescribedSandbox } from './guide/sandboxes.ts';
import { startGateway, type Answer, type TestGateway } from './support/start-gateway.ts';

type Value = DescribedSandbox['testValues'][number];

const sandboxes = await readSandboxes();

/** The members of the body that the input needs, with a value that is paid. */
const ordinary = {
  card: {
    number: '4111111111111111',
    expiration: `12/${String(new Date().getUTCFullYear() + 3).slice(2)}`,
    cvv: '737',
  },
  token: { token: 'tok_approved' },
  upi: { upiId: 'success@upi' },
  billing: {},
} as const;

/** The input that a value belongs to. */
const inputOf = { number: 'card', token: 'token', upiId: 'upi' } as const;

function bodyWith({ manifest }: DescribedSandbox, { member, value }: Value): Record<string, unknown> {
  const own = member in inputOf ? inputOf[member as keyof typeof inputOf] : manifest.inputs[0]!;
  const input = manifest.inputs.includes(own) ? own : manifest.inputs[0]!;
  const body: Record<string, unknown> = { ...payer, ...ordinary[input], amount: 25.9, unit: 'EUR' };
  if (member === 'email') body['email'] = `${value}@shop.example`;
  else if (member === 'name') body['name'] = `${value}${payer.name}`;
  else if (member === 'amount') body['amount'] = Number(value.startsWith('.') ? `25${value}` : value);
  else body[member] = value;
  // 3D Secure 1 and the method step are steps of the card that is challenged.
  if (member === 'name' && manifest.name === 'provider-c') body['number'] = '4000000000003220';
  return inOwnUnit(manifest, body) as Record<string, unknown>;
}

/** The words of a description that the answer shows. */
function answerOf({ status, json }: Answer): string {
  if (status !== 200) {
    const { code, details } = json;
    if (code === 'PAY001') return `declined ${details.declineCode}`;
    return code === 'UPI002' ? `declined ${details.upiResponse}` : `refused ${code}`;
  }
  if (json.paymentRequest.paymentRequestStatusId === 2) return 'paid';
  return json.action ? 'step' : 'pending';
}

/** A description begins with the answer. Pages, challenges and UPI requests are steps of the payer. */
function expected(result: string): RegExp {
  const [, decline] = /^declined (\w\d\d?)/.exec(result) ?? [];
  if (decline !== undefined) return new RegExp(`^declined ${decline}$`);
  if (result.startsWith('paid')) return /^paid$/;
  if (/^(page|challenge)/.test(result)) return /^step$/;
  if (result.startsWith('pending')) return /^(pending|step)$/;
  return /^refused/;
}

describe('the test values of the sandboxes', () => {
  let gateway: TestGateway;
  before(async function () {
    this.timeout(120_000);
    gateway = await startGateway({ adapters: sandboxes.map(({ name }) => name) });
  });
  after(async () => gateway.close());

  const pay = async (sandbox: DescribedSandbox, value: Value): Promise<string> =>
    answerOf(await gateway.post(`/payments/h2h/${sandbox.manifest.code}`, bodyWith(sandbox, value)));

  for (const sandbox of sandboxes) {
    const values = sandbox.testValues.filter(({ member }) => member !== 'page' && member !== 'refund');
    if (values.length === 0) continue;
    it(`do at ${sandbox.manifest.title} what their description says`, async function () {
      this.timeout(60_000);
      for (const value of values) {
        expect(await pay(sandbox, value), `${value.member} ${value.value}: ${value.result}`).to.match(
          expected(value.result),
        );
      }
    });
  }

  it('that all sandboxes share do what their description says', async function () {
    this.timeout(60_000);
    const providerA = sandboxes.find(({ name }) => name === 'provider-a')!;
    for (const value of [...testCards, ...testAmounts.filter(({ member }) => member === 'amount')]) {
      expect(await pay(providerA, value), `${value.value}: ${value.result}`).to.match(expected(value.result));
    }
  });

  for (const name of ['provider-c', 'token', 'upi']) {
    it(`end refunds of ${name} as their description says`, async function () {
      this.timeout(60_000);
      const sandbox = sandboxes.find((one) => one.name === name)!;
      const ordinaryBody = bodyWith(sandbox, { member: 'country', value: 'PT', result: 'paid' });
      const refunds = sandbox.testValues.filter(({ member }) => member === 'refund');
      expect(refunds).to.have.length(2);
      for (const { value, result } of refunds) {
        const { json } = await gateway.post(`/payments/h2h/${sandbox.manifest.code}`, ordinaryBody);
        const path = `/payment-requests/${json.paymentRequest.id}`;
        const { status } = await gateway.post(`${path}/refund`, { amount: Number(`10${value}`) });
        const [wanted = ''] = /^\w+/.exec(result) ?? [];
        expect(status === 200, `${value}: ${result}`).to.equal(wanted !== 'refused');
        if (wanted === 'refused') continue;
        await until(`the refund of ${value} is ${wanted}`, async () => {
          const { json: request } = await gateway.get(path);
          return request.refunds[0].status === wanted;
        });
      }
    });
  }
});
