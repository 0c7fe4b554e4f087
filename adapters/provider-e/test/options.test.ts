import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { harness } from './messages.ts';

const { options } = harness;

describe('Options', () => {
  it('uses `auto` as the default of flow', () => {
    const { flow: _, ...rest } = options;
    expect(v.parse(Options, rest).flow).to.equal('auto');
  });

  const secret = Buffer.alloc(31, 7).toString('base64');
  for (const [name, value] of [
    ['account', 'GW'],
    ['account', 'gwshop'],
    ['account', 'G'.repeat(33)],
    ['apiUser', 'gw:api'],
    ['apiUser', ''],
    ['apiPassword', ''],
    ['noticeUser', 'gw:notice'],
    ['noticeUser', ''],
    ['noticePasswords', []],
    ['noticePasswords', ['']],
    ['noticePasswords', ['a', 'b', 'c', 'd']],
    ['h2hKeys', []],
    ['h2hKeys', [{ kid: 'k1', secret }]],
    ['h2hKeys', [{ kid: 'k1', secret: 'x'.repeat(44) + '!' }]],
    ['h2hKeys', [{ kid: '', secret: options.h2hKeys[0]!.secret }]],
    ['h2hKeys', [{ kid: 'k1', secret: options.h2hKeys[0]!.secret, more: 1 }]],
    ['h2hKeys', Array.from({ length: 5 }, () => options.h2hKeys[0])],
    ['flow', 'both'],
    ['extra', 1],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(value).slice(0, 30)}`, () => {
      const { issues } = v.safeParse(Options, { ...options, [name]: value });
      expect(issues && v.getDotPath(issues[0])).to.match(new RegExp(`^${name}`));
    });
  }
});
