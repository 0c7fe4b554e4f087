import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { type HttpReply, type AdapterContext } from '@paywright/contract';
import { noAnswer, notSent, reply, scriptedHttp, type Script } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerG from '../index.ts';
import type { Options } from '../options.ts';
import {
  harness,
  boxed,
  chargeReply,
  deliver,
  errorReply,
  first,
  headersFor,
  learned,
  news,
  newsBody,
  second,
} from './messages.ts';

const { now, options, submission, createContext } = harness;

const paid = newsBody(news('PAID'));
const underLearned = headersFor(paid, { key: learned });
const pemOf = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
const publicKey = pemOf(learned.privateKey);
const year = { from: '2026-01-01T00:00:00Z', until: '2027-01-01T00:00:00Z' };
const counts = keyReply(learned.serial, { publicKey, ...year });

/** G's answer to a request for a key. */
function keyReply(serial: string, members: Readonly<Record<string, unknown>>): HttpReply {
  return { status: 200, headers: [], body: Buffer.from(boxed(serial, { serial, ...members })) };
}

/** A context whose clock can be advanced, with the requests that it sent. */
function scripted(script: Script | readonly (HttpReply | null)[]) {
  let time = now;
  const http = scriptedHttp(script);
  const context = createContext([], { http, now: () => time });
  const verdict = async (): Promise<unknown> =>
    (await deliver(paid, headersFor(paid, { key: learned, time: time.getTime() / 1000 }), { context })).genuine;
  return { http, context, verdict, pass: (ms: number) => (time = new Date(time.getTime() + ms)) };
}

describe('a key of G that is fetched by its serial', () => {
  it('verifies its signatures, is fetched once, and again when its time is over', async () => {
    const until = new Date(now.getTime() + 3_600_000).toISOString();
    const { http, verdict, pass } = scripted(() => keyReply(learned.serial, { publicKey, ...year, until }));
    expect([await verdict(), await verdict()]).to.deep.equal([true, true]);
    pass(3_599_000);
    expect(await verdict()).to.equal(true);
    expect(http.requests).to.have.length(1);
    expect(http.requests[0]).to.include({ method: 'GET', path: `/v1/keys/${learned.serial}` });
    pass(2_000);
    expect(await verdict()).to.equal('invalid_signature');
    expect(http.requests).to.have.length(2);
  });

  it('is not fetched if the options contain it', async () => {
    const { http, context } = scripted([]);
    for (const key of [first, second]) {
      expect((await deliver(paid, headersFor(paid, { key }), { context })).genuine).to.equal(true);
    }
    expect(http.requests).to.have.length(0);
  });

  it('does not verify signatures of another key', async () => {
    const { context } = scripted([counts]);
    const headers = headersFor(paid, { key: { ...first, serial: learned.serial } });
    expect((await deliver(paid, headers, { context })).genuine).to.equal('invalid_signature');
  });

  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
  const pem = (key: typeof small): string => key.export({ type: 'spki', format: 'pem' }).toString();
  const at = (ms: number): string => new Date(now.getTime() + ms).toISOString();
  for (const [what, answer] of [
    ['G denies it', errorReply(404, 'NO_KEY', false)],
    ['it has another serial', keyReply(learned.serial, { publicKey, ...year, serial: first.serial })],
    ['it is for another merchant', keyReply(learned.serial, { publicKey, ...year, mid: 'M1000428' })],
    ['it is too short', keyReply(learned.serial, { ...year, publicKey: pem(small) })],
    ['it is not an RSA key', keyReply(learned.serial, { ...year, publicKey: pem(curve) })],
    ['it is a private key', keyReply(learned.serial, { ...year, publicKey: learned.privateKey })],
    ['it is not a key', keyReply(learned.serial, { ...year, publicKey: 'key' })],
    ['it is missing', keyReply(learned.serial, year)],
    ['it has expired', keyReply(learned.serial, { publicKey, ...year, until: at(-1) })],
    ['it is not valid yet', keyReply(learned.serial, { publicKey, ...year, from: at(1) })],
    ['its times are invalid', keyReply(learned.serial, { publicKey, from: 'always', until: 'ever' })],
  ] as const) {
    it(`does not count if ${what}, which is remembered for 60 s`, async () => {
      const { http, verdict, pass } = scripted(() => answer);
      expect([await verdict(), await verdict()]).to.deep.equal(['invalid_signature', 'invalid_signature']);
      pass(59_000);
      expect(await verdict()).to.equal('invalid_signature');
      expect(http.requests).to.have.length(1);
      pass(1_000);
      await verdict();
      expect(http.requests).to.have.length(2);
    });
  }

  it('counts from its first moment to its last', async () => {
    for (const times of [
      { from: at(0), until: at(1000) },
      { from: at(-1000), until: at(0) },
    ]) {
      expect(await scripted([keyReply(learned.serial, { publicKey, ...times })]).verdict()).to.equal(true);
    }
  });

  const { box } = JSON.parse(Buffer.from(counts.body).toString()) as {
    readonly box: Readonly<Record<string, unknown>>;
  };
  const boxAs = (changes: object): HttpReply => reply(200, { ref: learned.serial, box: { ...box, ...changes } });
  for (const [what, answer] of [
    ['a page', reply(502, '<html></html>')],
    ['a page with status 200', reply(200, '<html></html>')],
    ['503', errorReply(503, 'CLOSED', false)],
    ['401', errorReply(401, 'SIGNATURE', false)],
    ['429', errorReply(429, 'SLOW_DOWN', false)],
    ['an answer without a box', reply(200, { ref: learned.serial })],
    ['a box of another merchant', boxAs({ aad: `M1000428:${learned.serial}` })],
    ['a box of another serial', keyReply(first.serial, { publicKey, ...year, serial: learned.serial })],
    ['a box that cannot be opened', boxAs({ n: Buffer.alloc(12).toString('base64') })],
    ['a box under an unknown key', boxAs({ ct: Buffer.alloc(64).toString('base64') })],
    ['no answer', null],
  ] as const) {
    it(`is unavailable after ${what}, which is not remembered`, async () => {
      const { http, verdict } = scripted((_, count) => (count === 0 ? (answer ?? noAnswer()) : counts));
      expect(await verdict()).to.equal('try_later');
      expect(await verdict()).to.equal(true);
      expect(http.requests).to.have.length(2);
    });
  }

  it('is accepted whichever box key opens the answer', async () => {
    const older = { ...options, boxKeys: [options.boxKeys[1]!] };
    const said = { serial: learned.serial, publicKey, ...year };
    const answer = reply(200, boxed(learned.serial, said, { ref: learned.serial }, older));
    expect(await scripted([answer]).verdict()).to.equal(true);
  });

  it('is unavailable while core allows no further fetch', async () => {
    const { context } = scripted([counts]);
    const full: AdapterContext<Options> = {
      ...context,
      cache: {
        remember: () => Promise.reject(new Error('more than 30 loads in a minute')),
        forget: () => undefined,
      },
    };
    const { genuine, acknowledgement } = await deliver(paid, underLearned, { context: full });
    expect([genuine, acknowledgement.status]).to.deep.equal(['try_later', 503]);
  });

  it('does not verify a message that names another serial', async () => {
    const { http, context } = scripted((_, count) => (count === 0 ? counts : errorReply(404, 'NO_KEY', false)));
    expect((await deliver(paid, underLearned, { context })).genuine).to.equal(true);
    const underAnother = headersFor(paid, { key: { ...learned, serial: 'ABCDEF0123456789' } });
    expect((await deliver(paid, underAnother, { context })).genuine).to.equal('invalid_signature');
    expect(http.requests).to.have.length(2);
  });

  it("does not verify live messages if it is the sandbox's", async () => {
    const { http, context } = scripted((_, count) => (count === 0 ? counts : errorReply(404, 'NO_KEY', false)));
    const sandboxed = { ...context, baseUrl: options.sandboxBaseUrl };
    expect((await deliver(paid, underLearned, { context: sandboxed })).genuine).to.equal(true);
    expect((await deliver(paid, underLearned, { context })).genuine).to.equal('invalid_signature');
    expect(http.requests).to.have.length(2);
  });

  describe('a key for a reply of G', () => {
    const answered = chargeReply('PAID', {}, { key: learned });
    const submitWith = (...rest: readonly (HttpReply | (() => never))[]) => {
      const { context } = scripted((_, count) => {
        const next = [answered, ...rest][count] ?? noAnswer;
        return typeof next === 'function' ? next() : next;
      });
      return providerG.submit(submission, context);
    };

    it('verifies the reply', async () => {
      expect((await submitWith(counts)).outcome).to.equal('succeeded');
    });

    for (const [what, rest] of [
      ['G denies it', errorReply(404, 'NO_KEY', false)],
      ['its answer is a page', reply(502, '<html></html>')],
      ['its answer never comes', () => noAnswer()],
      // The charge was sent. A request for the key that was not sent must not turn it into "nothing charged".
      ['the request for the key is never sent', () => notSent()],
    ] as const) {
      it(`leaves the charge unknown if ${what}`, async () => {
        const outcome = await submitWith(rest);
        expect(outcome.outcome).to.equal('unknown');
        expect(outcome).not.to.have.property('nothingCharged');
      });
    }
  });

  it('is unavailable without a connection', async () => {
    expect(await scripted(() => notSent()).verdict()).to.equal('try_later');
  });
});
