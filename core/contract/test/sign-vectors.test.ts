import { expect } from 'chai';
import { describe, it } from 'mocha';
import { runVectors, signVectors, type SignCallback } from '../testing/index.ts';
import { createAcme } from './acme/adapter.ts';
import { sealHeader, type Options } from './acme/protocol.ts';
import { createVectors } from './acme/vectors.ts';

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
});
