import { expect } from 'chai';
import { describe, it } from 'mocha';
import { publishedFaults } from '../testing/describe-published.ts';
import { describePublished, type SignCallback } from '../testing/index.ts';
import { createAcme } from './acme/adapter.ts';
import { sealHeader, type Options } from './acme/protocol.ts';
import { createVectors, options, seconds } from './acme/vectors.ts';

const sign: SignCallback<Options> = (raw, { sealKeys }) => ({
  ...raw,
  headers: [['X-Acme-Seal', sealHeader(sealKeys[0]!, seconds, raw.body)]],
});

const notice = { notice: 'n-1', shop: 'shop-7', ref: 'GW-10042-1', id: 'ac_1', state: 'paid', minor: 2590, cur: 'EUR' };
const paid = {
  name: 'a paid charge',
  types: ['paid'],
  route: 'acme',
  now: '2026-03-01T10:00:10.000Z',
  request: { method: 'POST', path: '/callbacks/acme', body: { ...notice, page: 'https://acme.example' } },
  expect: { genuine: true, events: [{ kind: 'payment', status: 'succeeded', amount: '25.90' }] },
};
const [sample] = createVectors().submissions;
const charge = { ...sample, name: 'the answer to a charge', types: ['charge'] };

/** A file of published messages with these changes. */
function published(changes: object = {}): string {
  const file = { sources: ['Acme 3.1'], types: ['paid', 'charge'], options, callbacks: [paid], submissions: [charge] };
  return JSON.stringify({ ...file, ...changes });
}

describePublished(createAcme(), published(), { sign });

describe('a file of published messages', () => {
  it('needs a message for each type', () => {
    expect(publishedFaults(published({ types: ['paid', 'charge', 'refunded'] }))).to.deep.equal([
      'refunded: no message',
    ]);
  });

  it('lists each type that a message has', () => {
    expect(publishedFaults(published({ types: ['paid'] }))).to.deep.equal(['charge: not among the types of the file']);
  });

  it('needs a decision about each message', () => {
    const undecided = [
      { ...paid, name: 'without events', expect: { genuine: true } },
      { ...paid, name: 'without a status', expect: { genuine: true, events: [{ kind: 'payment' }] } },
      { ...paid, name: 'unknown', expect: { events: [{ kind: 'payment', status: 'unknown' }] } },
      { ...paid, name: 'ignored', expect: { genuine: true, events: [] } },
      { ...paid, name: 'malformed', expect: { genuine: 'malformed' } },
    ];
    const faults = publishedFaults(published({ callbacks: undecided, submissions: [{ ...charge, expect: {} }] }));
    const named = faults.map((fault) => fault.split(':')[0]);
    expect(named).to.deep.equal(['without events', 'without a status', 'unknown', 'the answer to a charge']);
  });

  it('needs its sources', () => {
    expect(() => publishedFaults(published({ sources: [] }))).to.throw();
  });
});
