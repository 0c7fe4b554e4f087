import { expect } from 'chai';
import { describe, it } from 'mocha';
import { claimOf, createAdapterHarness, reply, titleOf } from '../testing/index.ts';
import { createAcme } from './acme/adapter.ts';
import { sealHeader } from './acme/protocol.ts';
import { options } from './acme/vectors.ts';

const now = new Date('2026-03-02T09:15:30.000Z');
const harness = createAdapterHarness(createAcme(), { options, now, stored: { providerReference: 'ac-1' } });
const paid = reply(200, { id: 'ac-1', ref: 'GW-10042-1', state: 'paid', minor: 2590, cur: 'EUR' });

function sealed(members: object = {}, key = options.sealKeys[0]!) {
  const notice = { notice: 'n1', shop: options.shop, ref: 'GW-10042-1', id: 'ac-1', state: 'paid', minor: 2590 };
  const body = Buffer.from(JSON.stringify({ ...notice, cur: 'EUR', ...members }));
  return { headers: [['X-Acme-Seal', sealHeader(key, String(harness.seconds), body)]] as const, body };
}

describe('createAdapterHarness', () => {
  it('parses the options by the manifest, and refuses wrong ones', () => {
    expect(harness.options.shop).to.equal(options.shop);
    expect(() => createAdapterHarness(createAcme(), { options: { ...options, shop: 7 } })).to.throw();
  });

  it('makes the sample payment with the changes of the adapter', () => {
    const made = createAdapterHarness(createAcme(), {
      options,
      input: 'upi',
      payment: { unit: 'IN', money: { amount: '7', currency: 'INR' } },
      submission: { upiId: 'asha@upi' },
      stored: { method: 'upi_collect' },
    });
    expect(made.submission).to.include({ input: 'upi', upiId: 'asha@upi', unit: 'IN' }).and.not.have.property('card');
    expect(made.stored).to.deep.include({ money: { amount: '7', currency: 'INR' }, method: 'upi_collect' });
    expect(made.refundRequest).to.deep.include({
      reference: 'GW-10042-1-R1',
      money: { amount: '10', currency: 'INR' },
    });
    expect(made.submissionBy('card').card.number).to.equal('4111111111111111');
  });

  it('knows the stored payment with and without the reference of the provider', () => {
    expect(harness.stored).to.include({ providerReference: 'ac-1', method: 'card' });
    const { providerReference: _, ...rest } = harness.stored;
    expect(harness.unanswered).to.deep.equal(rest);
  });

  it('answers each call by script, and records what was sent', async () => {
    expect(await harness.submit(paid)).to.deep.equal({ outcome: 'succeeded', providerReference: 'ac-1' });
    expect(await harness.refund(reply(500))).to.include({ outcome: 'unknown' });
    expect((await harness.fetchStatus([reply(404)])).result).to.equal('no_information');
    const adapter = createAcme();
    const { result, requests } = await harness.recordCall(
      () => paid,
      (ctx) => adapter.submit(harness.submission, ctx),
      { options: { apiKey: 'another' } },
    );
    expect(result.outcome).to.equal('succeeded');
    expect(requests[0]?.headers).to.include({ 'X-Key': 'another' });
  });

  it('names the method that the adapter lacks', async () => {
    const failure = await harness.complete(paid).catch((error: unknown) => String(error));
    expect(failure).to.equal('Error: the adapter acme has no `complete`');
  });

  it('verifies, parses, maps and acknowledges a callback', async () => {
    const delivered = await harness.deliver(sealed());
    expect(delivered).to.include({ verdict: 'genuine', genuine: true, outcome: 'accepted', refused: 0 });
    expect(delivered.events[0]).to.include({ status: 'succeeded', reference: 'GW-10042-1' });
    expect(delivered.acknowledgement).to.include({ status: 200, body: 'noted' });
    const duplicate = await harness.deliver(sealed(), { coreSays: 'duplicate' });
    expect(duplicate.outcome).to.equal('duplicate');
  });

  it('says why a callback is not accepted', async () => {
    const forged = await harness.deliver(sealed({}, 'another key'));
    expect(forged).to.include({ verdict: 'invalid_signature', reason: 'no key makes this seal' });
    const late = await harness.deliver(sealed(), { now: new Date(now.getTime() + 300_001) });
    expect(late.verdict).to.equal('stale');
    const unknownRoute = await harness.deliver({ route: 'elsewhere' }).catch((error: unknown) => String(error));
    expect(unknownRoute).to.contain('the adapter has no route');
  });

  it('acknowledges a callback for any outcome', async () => {
    expect(await harness.acknowledge(sealed(), 'try_later')).to.include({ status: 503 });
  });
});

describe('claimOf', () => {
  for (const [outcome, claim] of [
    [{ outcome: 'succeeded' }, 'succeeded'],
    [{ outcome: 'failed', nothingCharged: true }, 'nothing charged'],
    [{ outcome: 'failed', nothingCharged: true, misconfigured: true }, 'misconfigured'],
    [{ outcome: 'failed', decline: '51' }, 'declined 51'],
  ] as const) {
    it(`calls an outcome ${claim}`, () => expect(claimOf(outcome)).to.equal(claim));
  }
});

describe('titleOf', () => {
  it('shows the status and the beginning of the body', () => {
    expect(titleOf(reply(400, 'x'.repeat(50)))).to.equal(`400 ${'x'.repeat(44)}`);
  });
});
