import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fixture, fixtureText, runVectors, signVectors } from '@paywright/contract/testing';
import providerG, { vectorCalls } from '../../index.ts';
import { signAnswer, signCallback } from '../../sandbox/index.ts';

const text = fixtureText(import.meta.url, 'vectors.json');
const signers = { signCallback, signAnswer };
const given = { calls: vectorCalls };

interface Message {
  readonly headers?: readonly (readonly [name: string, value: string])[];
}
interface Sample {
  readonly request: Message | null;
  readonly reply?: Message | null;
  readonly expect: { readonly genuine?: unknown };
  readonly keyFetch?: unknown;
}
const file = fixture(import.meta.url, 'vectors.json') as {
  readonly callbacks: Sample[];
  readonly submissions: Sample[];
};

/** The message with another nonce, or with another signature. */
function change<M extends Message | null | undefined>(message: M, name: 'G-Nonce' | 'G-Sign'): M {
  const headers = message?.headers?.map(([one, value]) => [one, one === name ? otherOf(value) : value]);
  return message && headers ? { ...message, headers } : message;
}
function otherOf(value: string): string {
  return value.replaceAll('a', 'b');
}

/** G's samples, with other nonces in what G sends, and other signatures in what we send. */
const changed = JSON.stringify({
  ...file,
  callbacks: file.callbacks.map((one) =>
    one.expect.genuine === true && !one.keyFetch ? { ...one, request: change(one.request, 'G-Nonce') } : one,
  ),
  submissions: file.submissions.map((one) => ({
    ...one,
    request: change(one.request, 'G-Sign'),
    ...(one.reply && { reply: change(one.reply, 'G-Nonce') }),
  })),
});

/** The names of the samples that fail. */
async function failing(file: string): Promise<string[]> {
  return (await runVectors(providerG, file, given)).filter(({ passed }) => !passed).map(({ name }) => name);
}

describe('the signers of G', () => {
  it('sign no sample that G signed', async () => {
    expect((await signVectors(providerG, text, signers, given)).signed).to.deep.equal([]);
  });

  it('sign changed callbacks, answers and requests again, each with the key of its serial', async () => {
    const before = await failing(changed);
    expect(before).to.include.members([
      'paid',
      'unpaid, second serial, second box key, JPY',
      'refund',
      'key fetch: the key counts',
    ]);
    const { text: signed } = await signVectors(providerG, changed, signers, given);
    expect(await failing(signed)).to.deep.equal([]);
  });

  it('need the half of G', () => {
    const raw = { method: 'POST', path: '/', query: '', headers: [], body: Buffer.alloc(0) };
    const received = { ...raw, remoteAddress: '', receivedAt: new Date() };
    expect(() => signCallback(received, {} as never, {})).to.throw('`providerSide.keys` of the vectors file');
  });
});
