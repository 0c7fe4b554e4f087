import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import type { CreateSandbox, Submission, Trigger } from '../index.ts';
import { sendOnDemand } from '../sandbox/index.ts';
import { startRoundTrip, type RoundTrip } from '../testing/index.ts';
import { createAcme } from './acme/adapter.ts';
import { sealHeader, type Options } from './acme/protocol.ts';
import { createAcmeSandbox } from './acme/sandbox.ts';
import { options } from './acme/vectors.ts';

const card = { number: '4111111111111111', expiration: '01/31', expiryMonth: '01', expiryYear: '2031', cvv: '123' };
const payer = { name: 'A', email: 'a@b.example', phoneNumber: '1', address: '', city: '', state: 'X' };
const payment: Submission<'card'> = {
  input: 'card',
  paymentRequestId: '7',
  attempt: 1,
  reference: 'GW-7-1',
  money: { amount: '25.9', currency: 'EUR' },
  unit: 'EUR',
  sandbox: true,
  isH2h: true,
  payer: { ...payer, postalCode: '', country: 'NO', ipAddress: null },
  card,
};
const trigger: Trigger = {
  event: 'paid',
  reference: 'GW-8-1',
  providerReference: 'ac-8',
  money: { amount: '1', currency: 'EUR' },
  times: 2,
  forge: false,
};

/** Acme's sandbox with a trigger. */
const createSandbox: CreateSandbox<Options> = (setup) => ({
  ...createAcmeSandbox()(setup),
  trigger: ({ reference: ref, providerReference: id, times, forge }) => {
    const notice = { notice: 'n', shop: options.shop, ref, id, state: 'paid', minor: 100, cur: 'EUR' };
    const body = Buffer.from(JSON.stringify(notice));
    const request = ({ forged }: { readonly forged: boolean }) => {
      const key = forged ? 'another key' : options.sealKeys[0]!;
      const headers = { 'X-Acme-Seal': sealHeader(key, String(Math.floor(Date.now() / 1000)), body) };
      return { method: 'POST', url: `${setup.publicUrl}/callbacks/acme`, headers, body } as const;
    };
    return sendOnDemand({ request }, { times, forge });
  },
});

describe('a round trip', () => {
  let trip: RoundTrip<Options>;
  const start = async (): Promise<void> => {
    trip = await startRoundTrip({ adapter: createAcme(), createSandbox, options, delayMs: 2 });
  };
  afterEach(() => trip.close());

  it('pays, receives the callback and asks for the status', async () => {
    await start();
    const outcome = await trip.submit(payment);
    expect(outcome).to.deep.equal({ outcome: 'succeeded', providerReference: 'ac-GW-7-1' });
    await trip.until(() => trip.heard.length === 1);
    expect(trip.reported()).to.deep.equal(['paid succeeded']);
    const stored = trip.toStored(payment, outcome);
    expect(stored).to.include({ method: 'card', providerReference: 'ac-GW-7-1' }).and.not.have.property('card');
    expect(await trip.fetched(stored)).to.deep.equal(['paid succeeded 25.90']);
    expect(await trip.fetched({ ...stored, reference: 'GW-9-1' })).to.deep.equal(['no_information']);
    expect(trip.statuses).to.deep.equal([200, 200, 404]);
  });

  it("answers with core's decision", async () => {
    await start();
    trip.answer('try_later');
    await trip.submit(payment);
    await trip.until(() => trip.deliveries.length === 3);
    expect(trip.deliveries.every(({ reply, acknowledged }) => reply?.status === 503 && !acknowledged)).to.equal(true);
    expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['try_later', 'try_later', 'try_later']);
  });

  it('sends on demand, as often as requested, forged or not', async () => {
    await start();
    expect((await trip.trigger(trigger)).map(({ status }) => status)).to.deep.equal([200, 200]);
    expect((await trip.trigger({ ...trigger, times: 1, forge: true })).map(({ status }) => status)).to.deep.equal([
      401,
    ]);
    expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['accepted', 'accepted', 'invalid_signature']);
    expect(trip.heard[0]?.events[0]).to.include({ reference: 'GW-8-1', providerReference: 'ac-8' });
  });
});
