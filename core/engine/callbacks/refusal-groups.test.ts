import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { RefusedGroup } from '../../database/collections/refused-callbacks.ts';
import { DAY } from '../../base/async/time.ts';
import {
  addRefusal,
  groupsPerSpan,
  keptGroups,
  mergeGroups,
  networkOf,
  otherNetworks,
  paymentsIn,
  type Refusal,
} from './refusal-groups.ts';

const now = new Date('2026-11-27T10:00:00Z');
const before = (ms: number): Date => new Date(now.getTime() - ms);
const refusal: Refusal = {
  reason: 'proof (the signature does not match)',
  route: 'fake',
  remoteAddress: '192.0.2.7',
  at: now,
  payments: [],
};
const group: RefusedGroup = {
  reason: refusal.reason,
  network: '192.0.2.0/24',
  count: 1,
  firstAt: now,
  lastAt: now,
  route: 'fake',
  payments: [],
};

describe('networkOf', () => {
  it('names the network of a sender, never its address', () => {
    expect(networkOf('192.0.2.7')).to.equal('192.0.2.0/24');
    expect(networkOf('::ffff:192.0.2.7')).to.equal('192.0.2.0/24');
    expect(networkOf('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2::/64');
  });
});

describe('paymentsIn', () => {
  it('finds the payments that a query or a body names, a few of each message', () => {
    const body = Buffer.from('{"reference":"GW-10042-1","other":"GW-10042-2","x":"GW-0-1"}');
    expect(paymentsIn('ref=GW-7-1', body)).to.deep.equal([7, 10_042]);
    const many = Buffer.from(Array.from({ length: 20 }, (_, at) => `GW-${at + 1}-1`).join(' '));
    expect(paymentsIn('', many)).to.deep.equal([1, 2, 3, 4, 5]);
  });
});

describe('addRefusal', () => {
  it('joins refusals with one reason from one network', () => {
    const groups = new Map<string, RefusedGroup>();
    addRefusal(groups, { ...refusal, at: before(9000), payments: [1] });
    addRefusal(groups, { ...refusal, remoteAddress: '192.0.2.99', payments: [2] });
    addRefusal(groups, { ...refusal, reason: 'a recent time' });
    expect([...groups.values()]).to.deep.equal([
      { ...group, count: 2, firstAt: before(9000), payments: [2, 1] },
      { ...group, reason: 'a recent time' },
    ]);
  });

  it('distinguishes a limited number of networks between two writes, and loses no count', () => {
    const groups = new Map<string, RefusedGroup>();
    for (let network = 0; network < 250; network += 1)
      addRefusal(groups, { ...refusal, remoteAddress: `198.51.${network}.1` });
    expect(groups.size).to.equal(groupsPerSpan + 1);
    const others = [...groups.values()].find(({ network }) => network === otherNetworks);
    expect(others?.count).to.equal(250 - groupsPerSpan);
  });
});

describe('mergeGroups', () => {
  it('keeps the latest groups, and drops those of a month ago', () => {
    const stored = Array.from({ length: keptGroups }, (_, at) => {
      return { ...group, network: `198.51.${at}.0/24`, lastAt: before(at * 1000) };
    });
    const old = { ...group, network: '203.0.113.0/24', lastAt: before(31 * DAY) };
    const merged = mergeGroups([...stored, old], [{ ...group, count: 3, payments: [5] }], now);
    expect(merged).to.have.lengthOf(keptGroups);
    expect(merged.map(({ network }) => network))
      .to.include('192.0.2.0/24')
      .and.not.include('203.0.113.0/24');
    expect(merged.map(({ network }) => network)).not.to.include(`198.51.${keptGroups - 1}.0/24`);
    const again = mergeGroups(merged, [{ ...group, count: 2, payments: [6] }], now);
    expect(again.find(({ network }) => network === '192.0.2.0/24')).to.include({ count: 5 });
  });
});
