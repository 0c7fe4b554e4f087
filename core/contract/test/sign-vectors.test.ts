import { expect } from 'chai';
import { describe, it } from 'mocha';
import { hmac, type ProviderSide, type RawCallback } from '../index.ts';
import { runVectors, signVectors, type SignCallback } from '../testing/index.ts';
import { createAcme } from './acme/adapter.ts';
import { createKeyedAcme, keyedKit, keyedVectors } from './acme/keyed.ts';
import { sealHeader, type Options } from './acme/protocol.ts';
import { createSealedAcme, sealedKit, signAnswer } from './acme/sealed-answers.ts';
import { createVectors, options } from './acme/vectors.ts';

const adapter = createAcme();
const sign: SignCallback<Options> = (raw, { sealKeys }) => ({
  ...raw,
  headers: [['X-Acme-Seal', sealHeader(sealKeys[0]!, '1772359210', raw.body)]],
});
const spelled = (file: object): string => `${JSON.stringify(file, null, 1)}\n`;
const good = spelled(createVectors());

describe('signVectors', () => {
  it('does not change a file whose signatures match, under any secret', async () => {
    expect(await signVectors(adapter, good, sign)).to.deep.equal({ text: good, signed: [] });
  });

  it('signs changed samples, but neither forged samples nor samples whose signature still matches', async () => {
    const changed = good.replaceAll('ac_1', 'ac_2');
    const before = await runVectors(adapter, changed, { only: ['paid'] });
    expect(before.map(({ passed }) => passed)).to.include(false);
    const { text, signed } = await signVectors(adapter, changed, sign);
    expect(signed).to.deep.equal(['paid', 'refused, sealed with the previous key', 'an unknown status', 'too old']);
    const after = await runVectors(adapter, text);
    expect(after.filter(({ passed, call }) => !passed && call === 'callback')).to.deep.equal([]);
    expect(await signVectors(adapter, text, sign)).to.deep.equal({ text, signed: [] });
  });

  it('keeps the digits of numbers, and bytes that are not text', async () => {
    const [paid] = createVectors().callbacks;
    const bodyBase64 = Buffer.from(paid!.request.body.replace('2590', '2591')).toString('base64');
    const { body: _, ...request } = paid!.request;
    const file = { ...createVectors(), callbacks: [{ ...paid, request: { ...request, bodyBase64 } }] };
    const text = spelled(file).replace('"amount": 25.9,', '"amount": 25.90,');
    const signed = await signVectors(adapter, text, sign);
    expect(signed.signed).to.deep.equal(['paid']);
    expect(signed.text).to.contain('"amount": 25.90,').and.contain(bodyBase64);
  });

  it('accepts signers with and without the half of the provider, and calls of contract 2.0', () => {
    const three: SignCallback<Options> = (raw: RawCallback, own: Options, _side: ProviderSide) => sign(raw, own);
    const raw = { method: 'POST', path: '/', query: '', headers: [], body: Buffer.from('{}'), remoteAddress: '' };
    const received = { ...raw, receivedAt: new Date() };
    expect(three(received, options)).to.deep.equal(sign(received, options, {}));
  });

  it('signs callbacks with the private key of the provider', async () => {
    const keyed = createKeyedAcme();
    const signCallback = keyedKit.routes!['POST acme']!.sign!;
    const changed = spelled(keyedVectors).replaceAll('GW-10042-1', 'GW-10042-2');
    const { text, signed } = await signVectors(keyed, changed, { signCallback });
    expect(signed).to.deep.equal(['paid', 'refused, sealed with the previous key', 'an unknown status']);
    const after = await runVectors(keyed, text);
    expect(after.filter(({ passed, call }) => !passed && call === 'callback')).to.deep.equal([]);
  });

  it('signs changed answers, but no answer whose signature is wrong on purpose', async () => {
    const sealed = createSealedAcme();
    const [paid] = sealedKit.vectors.submissions;
    const strange = sealHeader('stranger', '1772359210', Buffer.from(paid!.reply.body));
    const forged = {
      ...paid!,
      name: 'sealed by a stranger',
      reply: { ...paid!.reply, headers: [['X-Acme-Seal', strange]] },
      expect: { outcome: 'unknown' },
    };
    const file = spelled({ ...sealedKit.vectors, submissions: [...sealedKit.vectors.submissions, forged] });
    expect(await signVectors(sealed, file, { signAnswer })).to.deep.equal({ text: file, signed: [] });
    const changed = file.replaceAll('ac_1', 'ac_2');
    const { text, signed } = await signVectors(sealed, changed, { signCallback: sign, signAnswer });
    expect(signed.slice(4)).to.deep.equal(['paid', 'waiting', 'refused', 'status: paid']);
    expect((await runVectors(sealed, text)).filter(({ passed }) => !passed)).to.deep.equal([]);
    expect(text).to.contain(strange);
  });

  it('signs our requests as the adapter does, and no other header', async () => {
    const plain = createAcme();
    const signing = createAcme({
      adapter: {
        submit: async (payment, ctx) =>
          plain.submit(payment, {
            ...ctx,
            http: {
              send: async (request) => {
                const mac = hmac('sha256', ctx.options.apiKey, request.body as string).toString('hex');
                return ctx.http.send({ ...request, headers: { ...request.headers, 'X-Sign': mac } });
              },
            },
          }),
      },
    });
    const file = createVectors();
    const [paid] = file.submissions;
    const { request } = paid as { readonly request: { readonly headers: string[][]; readonly body: string } };
    const mac = hmac('sha256', options.apiKey, request.body).toString('hex');
    const withHeader = (name: string, value: string) => [
      ...request.headers.filter(([one]) => one !== name),
      [name, value],
    ];
    const signed = { ...paid!, request: { ...request, headers: withHeader('X-Sign', mac) } };
    const changed = (headers: string[][]) =>
      spelled({ ...file, submissions: [{ ...signed, request: { ...signed.request, headers } }] });
    const good = changed(signed.request.headers);
    expect(await signVectors(signing, good, {})).to.deep.equal({ text: good, signed: [] });
    const old = changed(withHeader('X-Sign', 'a'.repeat(64)));
    expect(await signVectors(signing, old, {})).to.deep.equal({ text: good, signed: ['paid'] });
    const other = changed([...withHeader('Idempotency-Key', 'another'), ['X-Sign', mac]]);
    expect(await signVectors(signing, other, {})).to.deep.equal({ text: other, signed: [] });
  });
});
