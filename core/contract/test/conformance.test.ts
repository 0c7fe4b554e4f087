import { expect } from 'chai';
import { describe, it } from 'mocha';
import { describeAdapter, runChecks, runVectors, type Kit } from '../testing/index.ts';
import { createAcme } from './acme/adapter.ts';
import { brokenAdapters } from './acme/broken.ts';
import { sealHeader, type Options } from './acme/protocol.ts';
import { createAcmeSandbox } from './acme/sandbox.ts';
import { createVectors } from './acme/vectors.ts';

const vectors = createVectors();

const kit: Kit<Options> = {
  vectors,
  otherAccount: { shop: 'shop-8' },
  routes: {
    'POST acme': {
      sign: (raw, options) => ({
        ...raw,
        headers: [['X-Acme-Seal', sealHeader(options.sealKeys[0] ?? '', '1772359210', raw.body)]],
      }),
    },
  },
  sandbox: { create: createAcmeSandbox(), patienceMs: 1_000 },
};

describeAdapter(createAcme(), kit);

describe('the conformance kit', function () {
  this.timeout(20_000);

  for (const { fault, rule, says, adapter, kit: own } of brokenAdapters) {
    it(`is red for an adapter that ${fault}`, async () => {
      const results = await runChecks(adapter, { ...kit, ...own });
      const broken = results.flatMap((result) => (result.broken === undefined ? [] : [result.broken]));
      expect(
        results.some((result) => result.rule === rule && result.broken?.includes(says)),
        `${rule} … ${says}\n${broken.join('\n')}`,
      ).to.equal(true);
      for (const words of broken) expect(words).to.match(/\nCure: \S/);
    });
  }

  it('tells each vector’s differences in words', async () => {
    const results = await runVectors(
      createAcme({ route: { acknowledge: () => ({ status: 204, body: '' }) } }),
      vectors,
    );
    expect(results[0]).to.deep.equal({
      name: 'paid',
      call: 'callback',
      passed: false,
      differences: ['ack.status: expected 200, got 204', 'ack.body: expected "noted", got ""'],
    });
  });
});
