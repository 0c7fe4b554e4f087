import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callHash, forwardHash } from '../../signing.ts';
import { paid, salt, withHash } from '../messages.ts';
import { browse, payment, startVisit, textOf, type Visit } from './visit.ts';

describe('the requests of the sandbox', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  describe('refunds', () => {
    async function bought(amount = '100') {
      const given = payment(undefined, amount);
      const stored = visit.trip.toStored(given, await visit.trip.submit(given));
      await visit.hears('success');
      return stored;
    }

    it('refunds a part immediately, reports it, and counts the rest', async () => {
      const stored = await bought();
      const first = await visit.refund(stored, 1, '60');
      expect(first.outcome).to.equal('succeeded');
      expect(await visit.refund(stored, 1, '60')).to.deep.equal(first);
      expect((await visit.refund(stored, 1, '61')).outcome).to.equal('unknown');
      expect(await visit.refund(stored, 2, '40.01')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await visit.refund(stored, 3, '40')).outcome).to.equal('succeeded');
      await visit.hears('success', 'refunded', 'refunded');
      const reported = visit.trip.heard.flatMap(({ events }) => events.filter(({ kind }) => kind === 'refund'));
      expect(reported.map(({ amount, subReference }) => `${amount} ${subReference}`)).to.include(
        `60.00 ${first.providerReference}`,
      );
      expect(await visit.trip.fetched(stored)).to.deep.equal([
        'success succeeded 100.00',
        'c_refunded succeeded 100.00',
      ]);
    });

    it('leaves .58 pending first, and refunds it later', async () => {
      const stored = await bought();
      const first = await visit.refund(stored, 1, '10.58');
      expect(first.outcome).to.equal('pending');
      await visit.hears('success', 'refunded');
      expect(await visit.refund(stored, 1, '10.58')).to.deep.equal({ ...first, outcome: 'succeeded' });
      expect(await visit.trip.fetched(stored)).to.include('c_refunded succeeded 10.58');
    });

    it('refuses .59, which does not reduce the rest', async () => {
      const stored = await bought();
      expect(await visit.refund(stored, 1, '10.59')).to.include({ outcome: 'failed', nothingCharged: true });
      await visit.hears('success', 'refundfail');
      expect((await visit.refund(stored, 2, '100')).outcome).to.equal('succeeded');
    });

    it('refunds no unpaid or unknown payment', async () => {
      const given = payment('4000000000003097');
      const pending = visit.trip.toStored(given, await visit.trip.submit(given));
      expect(await visit.refund(pending, 1, '1')).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await visit.refund({ ...pending, reference: 'GW-999999-1' }, 1, '1')).outcome).to.equal('unknown');
    });
  });

  it('answers a repetition with the current state, and refuses another total or card', async () => {
    const given = payment('4000000000003063');
    const first = await visit.trip.submit(given);
    await visit.hears('success');
    expect(await visit.trip.submit(given)).to.deep.equal({ ...first, outcome: 'succeeded' });
    for (const other of [
      { ...given, money: { amount: '26', currency: 'EUR' } },
      { ...payment('4111111111111111'), reference: given.reference },
    ]) {
      expect((await visit.trip.submit(other)).outcome).to.equal('unknown');
    }
    expect(visit.posted()).to.have.length(1);
  });

  it('repeats an unacknowledged form, five deliveries in total', async () => {
    const { trip } = visit;
    trip.answer('try_later');
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 5);
    expect(trip.deliveries.every(({ reply, acknowledged }) => reply?.status === 503 && !acknowledged)).to.equal(true);
    trip.answer('accepted');
    await trip.submit(payment());
    await visit.hears('success');
    expect(trip.deliveries).to.have.length(6);
  });

  it('checks form, account, hash and fields', async () => {
    const account = { salts: [salt] };
    const asked = {
      ...paid,
      c_id: undefined,
      c_state: undefined,
      c_pan: '4111111111111111',
      c_exp: '1229',
      c_cvv: '1',
      c_sec: 'auto',
      c_note: 'https://a.example',
      c_back: 'https://a.example',
      c_3ds: 'https://a.example',
    };
    const post = async (path: string, fields: Readonly<Record<string, string | undefined>>): Promise<string> => {
      const reply = await browse(`${visit.trip.sandboxUrl}${path}`, fields);
      return `${reply.status} ${new URLSearchParams(textOf(reply)).get('c_error')}`;
    };
    const pay = (changes: Readonly<Record<string, string | undefined>>): Promise<string> => {
      const fields = { ...asked, ...changes };
      return post('/v1/payments', { ...fields, c_hash: forwardHash(account, fields) });
    };
    expect(await pay({ c_ref: 'GW-9-9' })).to.equal('200 null');
    expect(await pay({ c_key: undefined })).to.equal('400 bad_field');
    expect(await pay({ c_key: 'GWDEMO99' })).to.equal('401 bad_key');
    expect(await pay({ c_key: 'GWDEMO02' })).to.equal('401 bad_hash');
    expect(await post('/v1/payments', asked)).to.equal('401 bad_hash');
    expect(await post('/v1/payments', withHash(asked))).to.equal('401 bad_hash');
    for (const wrong of [
      { c_ref: 'gw' },
      { c_total: '25,90' },
      { c_total: undefined },
      { c_pan: undefined },
      { c_sec: 'perhaps' },
      { c_note: 'here' },
      { c_3ds: undefined },
    ]) {
      expect(await pay(wrong), JSON.stringify(wrong)).to.equal('400 bad_field');
    }
    expect(await pay({ c_exp: '1329' })).to.equal('422 not_payable');

    const { c_key, c_ref } = paid as { c_key: string; c_ref: string };
    const find = callHash(account, c_key, 'find', c_ref);
    expect(await post('/v1/payments/find', { c_key, c_ref, c_hash: find })).to.equal('404 no_such_payment');
    expect(await post('/v1/payments/find', { c_key, c_ref: 'GW-1-1', c_hash: find })).to.equal('401 bad_hash');
    const done = callHash(account, c_key, 'complete', c_ref, '1', 'done');
    const complete = { c_key, c_ref, c_id: '1', c_hash: done };
    expect(await post('/v1/payments/complete', { ...complete, c_method: 'done' })).to.equal('404 no_such_payment');
    expect(await post('/v1/payments/complete', { ...complete, c_cres: 'x' })).to.equal('401 bad_hash');
    expect(await post('/v1/payments/complete', { ...complete, c_cres: 'done', c_method: 'done' })).to.equal(
      '400 bad_field',
    );
    expect(await post('/v1/refunds', complete)).to.equal('401 bad_hash');
  });
});
