import type { AckOutcome } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { harness, deliver, deliverBoth, encoded, triple } from '../messages.ts';

const { acknowledge } = harness;

describe('callback of D', () => {
  describe('the order of checks', () => {
    const good = triple();
    const text = encoded(good);
    const without = (name: string) => {
      const { [name]: _, ...rest } = good;
      return encoded(rest);
    };
    for (const [what, parameters, wanted] of [
      ['a broken escape', `${text}&lang=%`, 'malformed'],
      ['an escape that is not UTF-8', `${text}&lang=%ff`, 'malformed'],
      ['a broken escape, with another version', `d_ver=H0&lang=%zz`, 'malformed'],
      ['the version twice', `${text}&d_ver=H1`, 'malformed'],
      ['the data twice', `${text}&d_data=`, 'malformed'],
      ['the signature twice', `${text}&d_sig=x`, 'malformed'],
      ['nothing at all', '', 'invalid_signature'],
      ['no version', without('d_ver'), 'invalid_signature'],
      ['another version and no data', 'd_ver=H2&d_sig=x', 'invalid_signature'],
      ['no signature', without('d_sig'), 'invalid_signature'],
      ['an empty signature', encoded({ ...good, d_sig: '' }), 'invalid_signature'],
      ['no signature and no data', 'd_ver=H1', 'invalid_signature'],
      ['no data', without('d_data'), 'malformed'],
      ['data without an order, wrongly signed', 'd_ver=H1&d_data=e30%3D&d_sig=x', 'malformed'],
      ['a wrong signature', encoded({ ...good, d_sig: 'A'.repeat(43) }), 'invalid_signature'],
      [
        'a missing member, wrongly signed',
        encoded({ ...triple({ D_Op: undefined }), d_sig: 'AAAA' }),
        'invalid_signature',
      ],
      ['a missing member of another shop', encoded(triple({ D_Op: undefined, D_Shop: '1' })), 'invalid_signature'],
      ['other parameters', `utm_source=a&utm_source=b&${text}&lang=de`, 'genuine'],
    ] as const) {
      it(`judges ${what}: ${wanted}`, async () => {
        for (const { verdict } of await deliverBoth(parameters)) expect(verdict).to.equal(wanted);
      });
    }
  });

  it('accepts a posted form with any parameters of its type', async () => {
    const body = encoded(triple());
    const typed = (...types: string[]) => deliver({ body, headers: types.map((type) => ['content-type', type]) });
    for (const type of ['application/x-www-form-urlencoded; charset=latin1', 'Application/X-WWW-Form-Urlencoded']) {
      expect((await typed(type)).verdict).to.equal('genuine');
    }
    for (const types of [[], ['text/plain'], ['application/json'], ['']]) {
      expect((await typed(...types)).verdict).to.equal('malformed');
    }
  });

  it('requires UTF-8 bytes', async () => {
    const text = encoded(triple());
    const broken = Buffer.concat([Buffer.from(`${text}&lang=`), Buffer.from([0xe9])]);
    const [whole, latin] = [Buffer.from(`${text}&lang=é`), broken];
    expect((await deliver({ body: whole })).verdict).to.equal('genuine');
    expect((await deliver({ body: latin })).verdict).to.equal('malformed');
    const query = (bytes: Buffer) => deliver({ method: 'GET', query: bytes.toString('latin1'), headers: [] });
    expect((await query(whole)).verdict).to.equal('genuine');
    expect((await query(latin)).verdict).to.equal('malformed');
  });

  it('reads the body of a POST, and the query of a GET', async () => {
    const [good, bad] = [encoded(triple()), 'd_ver=H0&d_ver=H1&%'];
    expect((await deliver({ body: good, query: bad })).verdict).to.equal('genuine');
    expect((await deliver({ method: 'GET', query: good, body: bad })).verdict).to.equal('genuine');
    expect((await deliver({ body: '', query: good })).verdict).to.equal('invalid_signature');
    expect((await deliver({ method: 'GET', body: good })).verdict).to.equal('invalid_signature');
  });
});

describe('the acknowledgement of a callback', () => {
  const taken = ['accepted', 'duplicate', 'unknown_reference', 'ignored'] as const;

  const byPost = (parameters: string) => (outcome: AckOutcome) => acknowledge({ body: parameters }, outcome);
  const byGet = (parameters: string) => (outcome: AckOutcome) =>
    acknowledge({ method: 'GET', query: parameters }, outcome);

  it('is empty for D’s servers', async () => {
    const answer = byPost(encoded(triple()));
    for (const outcome of taken) expect(await answer(outcome)).to.deep.equal({ status: 200, headers: {}, body: '' });
    expect(await answer('invalid_signature')).to.deep.equal({ status: 403, headers: {}, body: '' });
    expect(await answer('malformed')).to.deep.equal({ status: 400, headers: {}, body: '' });
    expect(await answer('try_later')).to.deep.equal({ status: 503, headers: { 'Retry-After': '30' }, body: '' });
  });

  it('redirects the payer to the page of the payment', async () => {
    const answer = byGet(encoded(triple()));
    const headers = { Location: 'https://gateway.example/pay/10042' };
    for (const outcome of taken) expect(await answer(outcome)).to.deep.equal({ status: 303, headers, body: '' });
    for (const [outcome, status] of [
      ['invalid_signature', 403],
      ['malformed', 400],
      ['try_later', 503],
    ] as const) {
      expect(await answer(outcome)).to.deep.equal({ status, headers: {}, body: null });
    }
  });

  it('accepts an order that is not ours, and shows no page for it', async () => {
    const parameters = encoded(triple({ D_Order: 'SHOP-7' }));
    const [post, get] = await deliverBoth(parameters);
    expect([post!.verdict, post!.events[0]?.reference, get!.verdict]).to.deep.equal(['genuine', 'SHOP-7', 'genuine']);
    for (const outcome of taken) {
      expect(await byPost(parameters)(outcome)).to.deep.equal({ status: 200, headers: {}, body: '' });
      expect(await byGet(parameters)(outcome)).to.deep.equal({ status: 404, headers: {}, body: null });
    }
  });
});
