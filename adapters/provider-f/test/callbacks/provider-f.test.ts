import { formType, hmac, type AckOutcome } from '@paywright/contract';
import type { SentCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Options } from '../../options.ts';
import { dealId, harness } from '../messages.ts';

const { now, options, acknowledge } = harness;
const [current, previous] = options.pingSecrets as [string, string];
const form = [['Content-Type', formType]] as const;

interface Signing {
  readonly secret?: string;
  readonly id?: string | undefined;
  readonly request?: string | undefined;
  readonly ts?: string;
}

/** The value of `v1`, computed as F does. */
function macOf({ secret = current, id = dealId, request, ts = String(now.getTime()) }: Signing): string {
  const manifest = `${id ? `id:${id};` : ''}${request === undefined ? '' : `rid:${request};`}ts:${ts};`;
  return hmac('sha256', secret, manifest).toString('hex');
}

function sign(signing: Signing = {}): string {
  return `ts=${signing.ts ?? now.getTime()},v1=${macOf(signing)}`;
}

type Sent = SentCallback;

const deliver = (sent: Sent, changed: Options = options) => harness.deliver(sent, { options: changed });

const query = `f_id=${dealId}`;
const strict: Options = { ...options, requireSignedPing: true };
const signed = (value: string, more: Sent = {}): Sent => ({ query, ...more, headers: [['X-F-Sign', value]] });
const at = (ms: number): string => String(now.getTime() + ms);

describe("Provider F's callback route", () => {
  it('reports one event that only says which deal to fetch', async () => {
    for (const sent of [{ query }, signed(sign())]) {
      expect((await deliver(sent)).events).to.deep.equal([
        {
          kind: 'ping',
          status: 'pending',
          providerStatus: 'ping',
          reference: null,
          providerReference: dealId,
          amount: null,
          currency: null,
          dedupeKey: null,
          mustFetch: true,
        },
      ]);
    }
  });

  describe('the id of a deal', () => {
    const places: readonly (readonly [what: string, sent: Sent])[] = [
      ['the query', { query }],
      ['the body', { body: query, headers: form }],
      ['both', { query, body: query, headers: form }],
      ['a body without content type', { body: query }],
      ['a body of another content type', { body: query, headers: [['Content-Type', 'application/json']] }],
      ['the query, next to other names', { query: `a=1&${query}&a=2&b` }],
      ['percent-escapes', { query: 'f%5Fid=%64_7Qm2Zx8%31' }],
      ['the query, next to a broken escape', { query: `${query}&x=%zz` }],
      ['the query, with a body of any bytes', { query, body: Buffer.from([0xff, 0xfe, 0x00]) }],
      ['the query, with a body of JSON', { query, body: '{"f_id":"d_Other001"}' }],
    ];
    for (const [what, sent] of places) {
      it(`is read from ${what}`, async () => {
        const { verdict, events } = await deliver(sent);
        expect(verdict).to.equal('unproven');
        expect(events[0]).to.include({ providerReference: dealId });
      });
    }

    const wrong: readonly (readonly [what: string, sent: Sent, reason: string])[] = [
      ['no id', { query: 'id=1', body: 'x=1' }, 'no f_id'],
      ['another spelling of the name', { query: `F_ID=${dealId}` }, 'no f_id'],
      ['an id twice in the query', { query: `${query}&${query}` }, 'f_id occurs twice in one place'],
      ['an id twice in the body', { query, body: `${query}&f%5Fid=` }, 'f_id occurs twice in one place'],
      ['two ids', { query, body: 'f_id=d_7Qm2Zx82' }, 'two different f_id'],
      ['an id and an empty one', { query, body: 'f_id=' }, 'two different f_id'],
      ['an empty id', { query: 'f_id' }, 'f_id is not the id of a deal'],
      ['an id that is a path', { query: 'f_id=..%2F..%2Fadmin' }, 'f_id is not the id of a deal'],
      ['an id with a path', { query: `${query}%2Fseen` }, 'f_id is not the id of a deal'],
      ['an id with a line break', { query: `${query}%0A` }, 'f_id is not the id of a deal'],
      ['an id with a plus', { query: `${query}+` }, 'f_id is not the id of a deal'],
      ['a broken escape', { query: `${query}%zz` }, 'f_id is not the id of a deal'],
      ['bytes that are not UTF-8', { query: `${query}%ff` }, 'f_id is not the id of a deal'],
      ['an id of five characters', { query: 'f_id=d_12345' }, 'f_id is not the id of a deal'],
      ['an id of 41 characters', { query: `f_id=d_${'1'.repeat(41)}` }, 'f_id is not the id of a deal'],
      ['another prefix', { query: 'f_id=e_7Qm2Zx81' }, 'f_id is not the id of a deal'],
    ];
    for (const [what, sent, reason] of wrong) {
      it(`is malformed before any signature check: ${what}`, async () => {
        const headers = [...(sent.headers ?? []), ['X-F-Sign', 'nothing'] as const];
        expect(await deliver({ ...sent, headers })).to.include({ verdict: 'malformed', reason });
      });
    }

    it('has 6 to 40 characters', async () => {
      for (const length of [6, 40]) {
        const id = `d_${'Az09'.repeat(10).slice(0, length)}`;
        expect((await deliver({ query: `f_id=${id}` })).events[0]).to.include({ providerReference: id });
      }
    });
  });

  describe('the signature of a ping', () => {
    const other = '0'.repeat(64);
    const verdicts: readonly (readonly [what: string, sent: Sent, verdict: string])[] = [
      ['a valid one', signed(sign()), 'genuine'],
      ['a valid one of the previous secret', signed(sign({ secret: previous })), 'genuine'],
      ['a valid one in upper case', signed(`ts=${at(0)},v1=${macOf({}).toUpperCase()}`), 'genuine'],
      ['any order, blanks, other parts', signed(` x , v1=${macOf({})} , v2=1 ,\tts=${at(0)} `), 'genuine'],
      ['a valid one among invalid ones', signed(`ts=${at(0)},v1=${other},v1=,v1=${macOf({})},v1=zz`), 'genuine'],
      ['a time of another spelling', signed(sign({ ts: `000${at(0)}` })), 'genuine'],
      ['one of another secret', signed(sign({ secret: 'another' })), 'invalid_signature'],
      ['one of an empty secret', signed(`ts=${at(0)},v1=`), 'invalid_signature'],
      ['one of another deal', signed(sign({ id: 'd_Other001' })), 'invalid_signature'],
      ['one of another time', signed(`ts=${at(1)},v1=${macOf({})}`), 'invalid_signature'],
      ['a truncated one', signed(sign().slice(0, -2)), 'invalid_signature'],
      ['no v1', signed(`ts=${at(0)}`), 'invalid_signature'],
      ['V1 instead', signed(`ts=${at(0)},V1=${macOf({})}`), 'invalid_signature'],
      ['no ts', signed(`v1=${macOf({})}`), 'invalid_signature'],
      ['an empty ts', signed(`ts=,v1=${macOf({ ts: '' })}`), 'invalid_signature'],
      ['a ts without digits', signed(sign({ ts: `${at(0)}.0` })), 'invalid_signature'],
      ['a ts with a sign', signed(sign({ ts: `+${at(0)}` })), 'invalid_signature'],
      ['an empty header', signed(''), 'invalid_signature'],
      ['ts twice', signed(`ts=${at(0)},${sign()}`), 'malformed'],
      ['ts twice, neither of them a time', signed('ts=x,ts=y'), 'malformed'],
      [
        'the header twice',
        {
          query,
          headers: [
            ['X-F-Sign', sign()],
            ['x-f-sign', sign()],
          ],
        },
        'invalid_signature',
      ],
      [
        'the header twice, one with ts twice',
        {
          query,
          headers: [
            ['X-F-Sign', 'ts=1,ts=1'],
            ['X-F-Sign', ''],
          ],
        },
        'invalid_signature',
      ],
      ['300 s ago', signed(sign({ ts: at(-300_000) })), 'genuine'],
      ['300 s ahead', signed(sign({ ts: at(300_000) })), 'genuine'],
      ['a millisecond more than 300 s ago', signed(sign({ ts: at(-300_001) })), 'stale'],
      ['a millisecond more than 300 s ahead', signed(sign({ ts: at(300_001) })), 'stale'],
      ['a time of 400 digits', signed(sign({ ts: '9'.repeat(400) })), 'stale'],
      ['a wrong one with an old time', signed(sign({ ts: '1', secret: 'another' })), 'invalid_signature'],
    ];
    for (const [what, sent, verdict] of verdicts) {
      it(`is ${verdict}: ${what}`, async () => {
        expect((await deliver(sent)).verdict).to.equal(verdict);
        expect((await deliver(sent, strict)).verdict).to.equal(verdict);
      });
    }

    it('covers X-F-Request as sent, if that header is present', async () => {
      const verdict = async (request: string | undefined, ...sent: readonly string[]): Promise<string> => {
        const headers = [['X-F-Sign', sign({ request })], ...sent.map((value) => ['X-F-Request', value])] as const;
        return (await deliver({ query, headers: headers as Sent['headers'] & object })).verdict;
      };
      expect(await verdict('rq-0001', 'rq-0001')).to.equal('genuine');
      expect(await verdict('a;ts:1;~ !', 'a;ts:1;~ !')).to.equal('genuine');
      expect(await verdict('', '')).to.equal('genuine');
      expect(await verdict('rq-0001', 'rq-0002')).to.equal('invalid_signature');
      expect(await verdict('rq-0001')).to.equal('invalid_signature');
      expect(await verdict(undefined, 'rq-0001')).to.equal('invalid_signature');
      expect(await verdict('rq-0001', 'rq-0001', 'rq-0001')).to.equal('invalid_signature');
    });

    it("has the value of the specification's example", async () => {
      const given = { ...options, pingSecrets: ['f-ping-secret-current'] };
      const v1 = '536d2dd90c5ca5e4c85a67f234ff31f414bec31e1013ff93e0ad51d300f5fc24';
      const headers = [
        ['X-F-Sign', `ts=1772359210000,v1=${v1}`],
        ['X-F-Request', 'rq-0001'],
      ] as const;
      expect((await deliver({ query, body: query, headers }, given)).verdict).to.equal('genuine');
    });

    it('covers the decoded id in the query, and no id in the body', async () => {
      expect((await deliver(signed(sign(), { query: `f_id=%64_7Qm2Zx81` }))).verdict).to.equal('genuine');
      const inBody = (value: string): Sent => ({ body: query, headers: [['X-F-Sign', value]] });
      expect((await deliver(inBody(sign({ id: '' })))).verdict).to.equal('unproven');
      expect((await deliver(inBody(sign({ id: '' })), strict)).verdict).to.equal('invalid_signature');
      expect((await deliver(inBody(sign()))).verdict).to.equal('invalid_signature');
      expect((await deliver(inBody(sign({ id: '', ts: at(-300_001) })))).verdict).to.equal('stale');
    });
  });

  describe('a ping without a signature', () => {
    it('causes only a fetch, or is refused if a signature is required', async () => {
      expect((await deliver({ query })).verdict).to.equal('unproven');
      expect((await deliver({ query }, strict)).verdict).to.equal('invalid_signature');
    });

    it('stays unsigned if no secret is configured, whatever the header contains', async () => {
      const given = { ...options, pingSecrets: [] };
      for (const value of [sign(), 'nothing', 'ts=1,ts=1']) {
        expect((await deliver(signed(value), given)).verdict).to.equal('unproven');
      }
      const twice = {
        query,
        headers: [
          ['X-F-Sign', ''],
          ['X-F-Sign', ''],
        ],
      } as const;
      expect((await deliver(twice, given)).verdict).to.equal('unproven');
    });

    it('is not verified by an empty secret', async () => {
      const given = { ...options, pingSecrets: ['', current] };
      expect((await deliver(signed(sign()), given)).verdict).to.equal('genuine');
      expect((await deliver(signed(sign()), { ...options, pingSecrets: [''] })).verdict).to.equal('invalid_signature');
      expect((await deliver(signed(`ts=${at(0)},v1=`), given)).verdict).to.equal('invalid_signature');
    });
  });

  it('gets an answer without a body for each outcome', async () => {
    const statuses: Readonly<Record<AckOutcome, number>> = {
      accepted: 200,
      duplicate: 200,
      unknown_reference: 200,
      ignored: 200,
      invalid_signature: 401,
      stale: 401,
      malformed: 400,
      try_later: 503,
    };
    for (const [outcome, status] of Object.entries(statuses)) {
      const acknowledgement = await acknowledge({ query }, outcome as AckOutcome);
      expect(acknowledgement).to.deep.equal({ status, headers: {}, body: '' });
    }
  });
});
