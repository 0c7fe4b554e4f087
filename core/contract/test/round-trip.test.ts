import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AdapterContext, CreateSandbox, RawCallback, Submission, Trigger } from '../index.ts';
import { sendOnDemand, sendRequest } from '../sandbox/index.ts';
import { actionOf, startRoundTrip, visitPage, type AnySubmission, type RoundTrip } from '../testing/index.ts';
import { createAcme, verifySeal } from './acme/adapter.ts';
import { createLoginAcme, createLoginSandbox, createSteppingAcme } from './acme/at-sandbox.ts';
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

describe('the requests of a round trip', () => {
  const withLogin = { ...options, loginBaseUrl: 'https://login.acme.example' };
  const startWith = (create: CreateSandbox<Options>): Promise<RoundTrip<Options>> =>
    startRoundTrip({ adapter: createLoginAcme(), createSandbox: create, options: withLogin, delayMs: 2 });

  it('go to the second address that the sandbox plays', async () => {
    const trip = await startWith(createLoginSandbox('/logins'));
    expect(await trip.submit(payment)).to.include({ outcome: 'succeeded' });
    expect(trip.provider.options.loginBaseUrl).to.equal(`${trip.sandboxUrl}/logins`);
    expect(trip.strays).to.deep.equal([]);
    await trip.close();
  });

  it('never leave this machine', async () => {
    const trip = await startWith(createLoginSandbox());
    expect(await trip.submit(payment)).to.include({ outcome: 'failed', nothingCharged: true });
    expect(trip.strays).to.deep.equal(['POST /login to loginBaseUrl (https://login.acme.example)']);
    expect(trip.statuses).to.deep.equal([]);
    await trip.close();
  });
});

describe('a submission without payer fields', () => {
  it('can be sent without a cast, because a way may list no field', async () => {
    const trip = await startRoundTrip({ adapter: createAcme(), createSandbox: createAcmeSandbox(), options });
    try {
      const nameless: AnySubmission = { ...payment, payer: { ipAddress: null } };
      // @ts-expect-error `submit` of an adapter needs the fields of its ways
      const submission: Submission = nameless;
      const outcome = await trip.submit(nameless);
      expect(outcome).to.include({ outcome: 'succeeded' });
      expect(trip.toStored(nameless, outcome)).to.include({ reference: submission.reference });
    } finally {
      await trip.close();
    }
  });
});

describe('the payer’s browser in a round trip', () => {
  let trip: RoundTrip<Options>;
  beforeEach(async () => {
    trip = await startRoundTrip({ adapter: createSteppingAcme(), createSandbox: createAcmeSandbox(), options });
  });
  afterEach(() => trip.close());

  it('presses a button and follows the page back', async () => {
    const outcome = await trip.submit(payment);
    const stored = trip.toStored(payment, outcome);
    expect(await trip.complete(stored)).to.include({ outcome: 'pending' });
    await visitPage(stored.action, 'pay');
    expect(trip.returns).to.deep.equal([{ to: 'page', brought: {} }]);
    expect(await trip.complete(stored)).to.include({ outcome: 'succeeded' });
  });

  it('finds no button that the page does not have', async () => {
    const outcome = await trip.submit(payment);
    const error: unknown = await visitPage(actionOf(outcome), 'cancel').catch((caught: unknown) => caught);
    expect(String(error)).to.contain('has no button with the value cancel');
  });

  it('brings the query or the form of an issuer’s page', async () => {
    const { threeDsReturnUrl = '' } = trip.provider;
    await sendRequest({ method: 'GET', url: `${threeDsReturnUrl}&result=X%21` }, 2_000);
    await sendRequest({ method: 'POST', url: threeDsReturnUrl, body: 'cres=eyJ9&threeDSSessionData=t' }, 2_000);
    expect(trip.returns).to.deep.equal([
      { to: '3ds', brought: 'result=X%21' },
      { to: '3ds', brought: { cres: 'eyJ9', threeDSSessionData: 't' } },
    ]);
  });
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

  it('handles callbacks in the order of their arrival, however long the check of one takes', async () => {
    let checked = 0;
    const verifySignature = async (raw: RawCallback, ctx: AdapterContext<Options>) => {
      checked += 1;
      if (checked === 1) for (let turn = 0; turn < 2_000; turn += 1) await new Promise(setImmediate);
      return verifySeal(raw, ctx);
    };
    trip = await startRoundTrip({ adapter: createAcme({ route: { verifySignature } }), createSandbox, options });
    const references = ['GW-8-1', 'GW-9-1', 'GW-10-1'];
    await Promise.all(references.map((reference) => trip.trigger({ ...trigger, reference, times: 1 })));
    expect(trip.heard.map(({ events }) => events[0]?.reference)).to.deep.equal(references);
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
