/** Signatures, judged by the signed notification of WeChat Pay's Go library (fixtures/notification.json). */
import type { AdapterContext, HttpReply } from '@paywright/contract';
import { fixture, reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { verify } from 'node:crypto';
import { serialOf, type Options } from '../options.ts';
import { closeResource } from '../resource.ts';
import { refuseMessage, signedHeaders, signedRequest } from '../signing.ts';
import { given, harness, providerSide } from './messages.ts';

const published = fixture(import.meta.url, 'notification.json') as Readonly<
  Record<'serial' | 'certificate' | 'time' | 'nonce' | 'signature' | 'body', string>
>;
const { serial, certificate, time, nonce, signature, body } = published;
const platformKeys = [{ serial, publicKey: certificate }];

/** Verifies the published notification with changes. Returns its verdict; `genuine` if it is not refused. */
async function judge(changes: Partial<typeof published>, secondsLater = 0): Promise<string> {
  const sent = { ...published, ...changes };
  const headers = [
    ['Wechatpay-Timestamp', sent.time],
    ['Wechatpay-Nonce', sent.nonce],
    ['Wechatpay-Serial', sent.serial],
    ['Wechatpay-Signature', sent.signature],
  ] as const;
  const now = new Date((Number(time) + secondsLater) * 1000);
  const ctx = harness.createContext([], { options: { platformKeys }, now });
  return (await refuseMessage({ headers, body: Buffer.from(sent.body) }, ctx))?.verdict ?? 'genuine';
}

describe('refuseMessage', () => {
  it('accepts the published notification', async () => {
    expect(await judge({})).to.equal('genuine');
    expect(await judge({}, 300)).to.equal('genuine');
  });

  for (const [what, changes] of Object.entries({
    'another body': { body: body.replace('2021-06-24', '2021-06-25') },
    'another nonce': { nonce: `${nonce.slice(0, -1)}A` },
    'another time': { time: String(Number(time) + 1) },
    'another signature': { signature: `A${signature.slice(1)}` },
    'no signature': { signature: '' },
    'a test signature of WeChat Pay': { signature: `WECHATPAY/SIGNTEST/${signature}` },
  })) {
    it(`refuses the published notification with ${what}`, async () => {
      expect(await judge(changes)).to.equal('invalid_signature');
    });
  }

  for (const seconds of [301, -301]) {
    it(`refuses the published notification ${seconds} s later as stale`, async () => {
      expect(await judge({}, seconds)).to.equal('stale');
    });
  }
});

/** A list of both platform certificates, or of the first one. */
function listOf(count: 1 | 2, end = '2031-11-01T00:00:00+08:00'): HttpReply {
  const data = providerSide.keys.slice(0, count).map((key) => ({
    serial_no: serialOf(key.certificate),
    effective_time: '2026-11-01T00:00:00+08:00',
    expire_time: end,
    encrypt_certificate: closeResource(harness.options.apiV3Keys[0]!, key.certificate, 'Zy8wVu7tSr6q', 'certificate'),
  }));
  return reply(200, { data });
}

describe('platform certificates', () => {
  const [first, second] = providerSide.keys;
  const text = Buffer.from('{}');

  /** A context whose clock moves, and the number of its requests. */
  function start(answers: readonly (HttpReply | null)[]) {
    let now = harness.now;
    const http = scriptedHttp(answers);
    const ctx: AdapterContext<Options> = {
      ...harness.createContext([], { options: { platformKeys: [] }, http }),
      now: () => now,
    };
    return {
      requests: http.requests,
      wait: (seconds: number): void => {
        now = new Date(now.getTime() + seconds * 1000);
      },
      judge: async (key = first, name = serialOf(key.certificate)!): Promise<string> => {
        const head = { time: String(Math.floor(now.getTime() / 1000)), nonce: 'a1b2c3' };
        const headers = Object.entries(signedHeaders({ serial: name, privateKey: key.privateKey }, head, text));
        return (await refuseMessage({ headers, body: text }, ctx))?.verdict ?? 'genuine';
      },
    };
  }

  it('are downloaded once for all serials', async () => {
    const { judge: judgeBy, requests } = start([listOf(2)]);
    expect([await judgeBy(first), await judgeBy(second), await judgeBy(first)]).to.deep.equal(
      Array.from({ length: 3 }, () => 'genuine'),
    );
    expect(requests).to.have.length(1);
  });

  it('are downloaded again for an unknown serial, at most once a minute', async () => {
    const { judge: judgeBy, requests, wait } = start([listOf(1), listOf(2)]);
    expect(await judgeBy(first)).to.equal('genuine');
    for (const name of ['AAAAAAAA', 'BBBBBBBB', 'CCCCCCCC']) {
      expect(await judgeBy(second, name)).to.equal('invalid_signature');
    }
    expect(await judgeBy(second)).to.equal('invalid_signature');
    expect(requests).to.have.length(1);
    wait(60);
    expect(await judgeBy(second)).to.equal('genuine');
    expect(requests).to.have.length(2);
  });

  it('end while they are kept', async () => {
    const { judge: judgeBy, wait } = start([
      listOf(2, '2026-12-02T18:01:10+08:00'),
      listOf(1, '2026-12-02T18:01:10+08:00'),
    ]);
    expect(await judgeBy(first)).to.equal('genuine');
    wait(60);
    expect(await judgeBy(first)).to.equal('invalid_signature');
  });

  it('are asked for later if they are not available', async () => {
    const { judge: judgeBy } = start([null, reply(502), listOf(1)]);
    expect([await judgeBy(), await judgeBy(), await judgeBy()]).to.deep.equal(['try_later', 'try_later', 'genuine']);
  });
});

describe('signedRequest', () => {
  it('signs method, path with query, time, nonce and body', () => {
    const { merchantKeys } = providerSide;
    const request = signedRequest('/v3/a?b=1', harness.createContext(), '{"c":2}');
    const read = (name: string): string =>
      new RegExp(`${name}="([^"]+)"`).exec(request.headers!['Authorization']!)![1]!;
    expect(read('mchid')).to.equal(given['mchid']);
    const lines = ['POST', '/v3/a?b=1', read('timestamp'), read('nonce_str'), '{"c":2}', ''].join('\n');
    const sent = Buffer.from(read('signature'), 'base64');
    expect(verify('sha256', Buffer.from(lines), merchantKeys[0].publicKey, sent)).to.equal(true);
  });
});
