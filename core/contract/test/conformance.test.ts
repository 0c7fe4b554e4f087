import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checks, describeAdapter, runChecks, runVectors, type Kit } from '../testing/index.ts';
import { createAcme } from './acme/adapter.ts';
import { brokenCallbacks } from './acme/broken-callbacks.ts';
import { brokenCalls } from './acme/broken-calls.ts';
import { brokenManifests } from './acme/broken-manifests.ts';
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

  const neverRed = new Set(checks(createAcme(), kit).map(({ title }) => title));

  for (const { fault, rule, says, adapter, kit: own } of [...brokenManifests, ...brokenCalls, ...brokenCallbacks]) {
    it(`is red for an adapter that ${fault}`, async () => {
      const results = await runChecks(adapter, { ...kit, ...own });
      const broken = results.flatMap((result) => (result.broken === undefined ? [] : [result.broken]));
      for (const result of results) if (result.broken !== undefined) neverRed.delete(result.title);
      expect(
        results.some((result) => result.rule === rule && result.broken?.includes(says)),
        `${rule} … ${says}\n${broken.join('\n')}`,
      ).to.equal(true);
      for (const words of broken) expect(words).to.match(/\nCure: \S/);
    });
  }

  it('is red once for each open decision of a scaffold, in its words, and for nothing else', async () => {
    const undecided = { proof: 'Say what proves a notice.', words: 'Say what the words mean.' };
    const results = await runChecks(createAcme({ manifest: { undecided } }), kit);
    const cure = (name: string): string =>
      `Cure: decide it, delete \`${name}\` from \`undecided\`, and let the compiler show what still stands on it`;
    expect(results.filter(({ broken }) => broken !== undefined)).to.deep.equal(
      Object.entries(undecided).map(([title, says]) => {
        return { rule: 'undecided', title, broken: `undecided: ${says}\n${cure(title)}` };
      }),
    );
  });

  it('has no check that cannot fail', () => {
    expect([...neverRed]).to.deep.equal([]);
  });

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
