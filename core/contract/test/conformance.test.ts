import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  genuine,
  malformed,
  readAs,
  readJson,
  unproven,
  utf8,
  type Action,
  type RawCallback,
  type Verdict,
} from '../index.ts';
import {
  BrokenRule,
  checks,
  describeAdapter,
  reply,
  runChecks,
  runVectors,
  scriptedHttp,
  Skipped,
  type Kit,
} from '../testing/index.ts';
import { brokenAccounts, createAccountsAcme } from './acme/accounts.ts';
import { createAcme, toOutcome } from './acme/adapter.ts';
import {
  brokenSandboxes,
  createClosableAcme,
  createHoldingAcme,
  createLoginAcme,
  createLoginSandbox,
  createSilentAcme,
  createSteppingAcme,
  loginVectors,
  payer,
  steppingVectors,
  createUnchargingAcme,
} from './acme/at-sandbox.ts';
import { acknowledgeUnderFirst, brokenCallbacks } from './acme/broken-callbacks.ts';
import {
  brokenCalls,
  createHundredthsAcme,
  fetchAllRefunds,
  refundWithoutName,
  vectorsWithoutName,
} from './acme/broken-calls.ts';
import {
  brokenCaptures,
  capturingVectors,
  createCapturingAcme,
  createWordlessAcme,
  wordlessVectors,
} from './acme/capturing.ts';
import { brokenSignatures, sealCallback } from './acme/broken-signatures.ts';
import { brokenCloses, closingVectors, createClosingAcme } from './acme/closing.ts';
import { brokenManifests } from './acme/broken-manifests.ts';
import { createBoxedAcme, boxedVectors } from './acme/boxed.ts';
import {
  createKeyedAcme,
  createKeyedAnswersAcme,
  keyedAnswersKit,
  keyedKit,
  keyedVectors,
  standing,
  verifySignature,
} from './acme/keyed.ts';
import { Notice, type Options } from './acme/protocol.ts';
import { createAcmeSandbox } from './acme/sandbox.ts';
import { brokenLists, createListingAcme, listingVectors } from './acme/listing.ts';
import { brokenReferences, createNamingAcme, namingVectors } from './acme/naming.ts';
import { brokenAnswers, createSealedAcme, sealedKit, signAnswer } from './acme/sealed-answers.ts';
import { brokenStates, createStatefulAcme, statefulVectors } from './acme/stateful.ts';
import { brokenSteps, createTwoStepAcme, submitKeeping, twoStepVectors } from './acme/two-step.ts';
import { createVectors } from './acme/vectors.ts';
import { brokenWays, complete, returningVectors, waitingWith } from './acme/broken-ways.ts';
import { brokenBeliefs, brokenClasses, brokenKeys, createWholeAcme, wholeVectors } from './acme/whole.ts';

const vectors = createVectors();

const keyReply = reply(200, standing[1]!.reply.body);

const kit: Kit<Options> = {
  vectors,
  otherAccount: { shop: 'shop-8' },
  routes: { 'POST acme': { sign: sealCallback } },
  sandbox: { create: createAcmeSandbox(), patienceMs: 1_000 },
};

/** Believes nothing, and reads which payment the callback is about. */
const readUnsigned = (raw: RawCallback): Verdict<Notice> => {
  const notice = readAs(Notice, readJson(utf8(raw.body)));
  return notice ? unproven(notice) : malformed('not a notice');
};

describeAdapter(createAcme(), { ...kit, sandbox: { create: createAcmeSandbox() } });

/** Nothing signs its callbacks, so core fetches whatever they are about. */
const unsigned = {
  adapter: createAcme({ manifest: { name: 'acme-unsigned' }, route: { verifySignature: readUnsigned } }),
  vectors: {
    ...vectors,
    callbacks: vectors.callbacks
      .filter(({ expect: { genuine: verdict } }) => verdict === true)
      .map((one) => ({ ...one, expect: { ...one.expect, genuine: 'unproven', mustFetch: true, ack: undefined } })),
  },
};
describeAdapter(unsigned.adapter, { ...kit, vectors: unsigned.vectors, sandbox: { create: createAcmeSandbox() } });

describe('the conformance kit', function () {
  this.timeout(120_000);

  const neverRed = new Set(checks(createAcme(), kit).map(({ title }) => title));

  const faults = [
    ...brokenManifests,
    ...brokenWays,
    ...brokenCalls,
    ...brokenBeliefs,
    ...brokenKeys,
    ...brokenClasses,
    ...brokenCaptures,
    ...brokenCloses,
    ...brokenStates,
    ...brokenSteps,
    ...brokenAnswers,
    ...brokenLists,
    ...brokenReferences,
    ...brokenCallbacks,
    ...brokenAccounts,
    ...brokenSignatures,
    ...brokenSandboxes,
  ];
  for (const { fault, rule, says, adapter, kit: own } of faults) {
    it(`is red for an adapter that ${fault}`, async () => {
      const broken: string[] = [];
      for (const check of checks(adapter, { ...kit, ...own }).filter((one) => one.rule === rule)) {
        try {
          await check.run();
        } catch (error) {
          if (error instanceof Skipped) continue;
          expect(error).to.be.instanceOf(BrokenRule);
          broken.push(String(error));
          neverRed.delete(check.title);
        }
      }
      expect(
        broken.some((words) => words.includes(says)),
        `${rule} … ${says}\n${broken.join('\n')}`,
      ).to.equal(true);
      for (const words of broken) expect(words).to.match(/\nCure: \S/);
    });
  }

  it('is green for a provider that needs a token first and signs with a key pair, if the kit says so', async () => {
    const { sandbox: _, routes: __, ...plain } = kit;
    const keyed = { ...plain, vectors: keyedVectors };
    const red = async (own: Kit<Options>, adapter = createKeyedAcme()): Promise<string[]> => {
      const results = await runChecks(adapter, own);
      return results.filter(({ broken }) => broken !== undefined).map(({ rule, title }) => `${rule}: ${title}`);
    };
    const reported = { ...keyed, ...keyedKit };
    expect(await red(reported)).to.deep.equal([]);
    expect(await red(keyed)).to.deep.equal(['proof: POST acme: is verified by our secrets and by no other']);
    const results = await runVectors(createKeyedAcme(), keyedVectors);
    expect(results.filter(({ passed }) => !passed)).to.deep.equal([]);

    const believing = createKeyedAcme(async (raw, ctx) => {
      const verdict = await verifySignature(raw, ctx);
      const notice = readAs(Notice, readJson(utf8(raw.body)));
      return verdict.verdict === 'try_later' && notice ? genuine(notice) : verdict;
    });
    expect(await red(reported, believing)).to.deep.equal([
      'proof: POST acme: is verified by our secrets and by no other',
    ]);
  });

  const { sandbox: _, ...withoutSandbox } = kit;
  const expiry = '2026-03-01T10:10:10Z';
  const page = { type: 'redirect', method: 'GET', url: 'https://wallet.example/1' } as const;
  const code: Action = { type: 'qr', text: 'acme://pay/1', expiry, app: 'Acme' };
  const atReturn: Action = { ...page, completesOnReturn: true, referrer: 'origin' };
  const kinds = [
    { what: 'that is asked twice for one payment', adapter: createTwoStepAcme(), vectors: twoStepVectors },
    {
      what: 'that is asked twice, and whose adapter keeps the first answer',
      adapter: createTwoStepAcme(submitKeeping),
      vectors: twoStepVectors,
    },
    { what: 'whose callbacks nothing signs, so that core only fetches', ...unsigned },
    { what: 'that encrypts its callbacks and seals the box', adapter: createBoxedAcme(), vectors: boxedVectors },
    { what: 'that gives one payment several ids', adapter: createNamingAcme(), vectors: namingVectors },
    { what: 'whose messages name the account', adapter: createAccountsAcme(), vectors },
    { what: 'that has every call', adapter: createWholeAcme(), vectors: wholeVectors },
    { what: 'that collects and releases authorised money', adapter: createCapturingAcme(), vectors: capturingVectors },
    { what: 'whose unpaid orders can be closed', adapter: createClosingAcme(), vectors: closingVectors },
    { what: 'whose refunds are a list of their own', adapter: createListingAcme(), vectors: listingVectors },
    {
      what: 'that counts a currency in other decimals than ISO 4217',
      adapter: createHundredthsAcme(),
      vectors,
      more: { ownDecimals: { XOF: 2 } },
    },
    {
      what: 'that answers a release without a body',
      adapter: createWordlessAcme(),
      vectors: wordlessVectors,
      more: { answersAreNameless: ['void'] as const, answersNameNoMoney: ['void'] as const },
    },
    { what: 'whose code another app scans', adapter: waitingWith(code), vectors: returningVectors(code, false) },
    {
      what: 'that is completed at the payer’s return',
      adapter: waitingWith(atReturn, { complete }),
      vectors: returningVectors(atReturn),
    },
    { what: 'whose adapter keeps a state of its own', adapter: createStatefulAcme(), vectors: statefulVectors },
    {
      what: 'that cannot recognise a repeated refund, and is never asked twice',
      adapter: createAcme({
        manifest: { repeatRefund: 'never' },
        adapter: { refund: refundWithoutName, fetchStatus: fetchAllRefunds },
      }),
      vectors: vectorsWithoutName,
    },
  ];
  for (const { what, adapter, vectors: own, more } of kinds) {
    it(`is green for a provider ${what}`, async () => {
      const results = await runChecks(adapter, { ...withoutSandbox, ...more, vectors: own });
      expect(results.filter(({ broken }) => broken !== undefined)).to.deep.equal([]);
      const played = await runVectors(adapter, own);
      expect(played.filter(({ passed }) => !passed)).to.deep.equal([]);
    });
  }

  const atSandbox = [
    {
      what: 'that completes a step of the payer, who follows the page back',
      adapter: createSteppingAcme(),
      vectors: steppingVectors,
      sandbox: { create: createAcmeSandbox(), payer },
    },
    {
      what: 'that charges nothing before a step is completed',
      adapter: createUnchargingAcme(),
      vectors: steppingVectors,
      sandbox: { create: createAcmeSandbox(), payer },
    },
    {
      what: 'whose unpaid orders can be closed',
      adapter: createClosableAcme(),
      vectors: steppingVectors,
      sandbox: { create: createAcmeSandbox(), payer },
    },
    {
      what: 'whose sandbox captures reserved money automatically soon after the answer',
      adapter: createHoldingAcme(),
      vectors: capturingVectors,
      sandbox: { create: createAcmeSandbox({ capturesAfterDelays: 1 }) },
    },
    {
      what: 'that names its id only in a fetch',
      adapter: createSilentAcme(),
      vectors,
      sandbox: { create: createAcmeSandbox() },
    },
    {
      what: 'with a second address that its sandbox plays below its own',
      adapter: createLoginAcme(),
      vectors: loginVectors,
      sandbox: { create: createLoginSandbox('/logins') },
    },
  ];
  for (const { what, adapter, vectors: own, sandbox } of atSandbox) {
    it(`is green at the sandbox of a provider ${what}`, async () => {
      const results = await runChecks(adapter, { ...kit, vectors: own, sandbox });
      const trips = results.filter(({ rule }) => rule === 'sandbox');
      expect(trips.filter(({ broken, skipped }) => broken !== undefined || skipped !== undefined)).to.deep.equal([]);
      const abilities = (['complete', 'close', 'refund', 'capture', 'void'] as const).filter((name) => adapter[name]);
      const uncharging = adapter.manifest.ways.filter(({ unfinishedStep }) => unfinishedStep === 'charges_nothing');
      expect(trips).to.have.length(1 + abilities.length + uncharging.length);
    });
  }

  it('skips the round trips and the odd payers of a kit without a sandbox, with the reason', async () => {
    const results = await runChecks(createHoldingAcme(), { ...withoutSandbox, vectors: capturingVectors });
    const trips = results.filter(({ rule }) => rule === 'sandbox');
    expect(trips.map(({ skipped }) => skipped)).to.deep.equal(
      Array(4).fill('the kit has no `sandbox`, so no round trip was made'),
    );
    const payers = results.filter(({ rule }) => rule === 'payers');
    expect(new Set(payers.map(({ skipped }) => skipped))).to.deep.equal(
      new Set(['the kit has no `sandbox`, so no payer was charged']),
    );
  });

  it('reports a redirect that may charge and has no time limit as skipped, and no other redirect', async () => {
    const hintsOf = async (way: object): Promise<readonly string[]> => {
      const { manifest, ...adapter } = createSteppingAcme();
      const ways = [{ ...manifest.ways[0], ...way }] as const;
      const submissions = steppingVectors.submissions.map((one) =>
        Object(one.expect).outcome === 'pending'
          ? { ...one, expect: { ...one.expect, action: { type: 'redirect' } } }
          : one,
      );
      const results = await runChecks(
        { ...adapter, manifest: { ...manifest, ways } },
        { ...withoutSandbox, vectors: { ...steppingVectors, submissions } },
      );
      return results.flatMap(({ title, skipped }) =>
        title.startsWith('limits the time') ? [`${title}: ${skipped}`] : [],
      );
    };
    const [hint, ...more] = await hintsOf({});
    expect([hint, more]).to.deep.equal([
      'limits the time of an unfinished redirect of card: without `stepMinutes` core never replaces such a step: set it if the provider limits the time of its page',
      [],
    ]);
    expect(await hintsOf({ stepMinutes: 30 })).to.deep.equal([]);
    expect(await hintsOf({ unfinishedStep: 'charges_nothing' })).to.deep.equal([]);
  });

  const declaring = async (own: Partial<Kit<Options>>, title: string) => {
    const { sandbox: __, ...plain } = kit;
    const results = await runChecks(createWordlessAcme(), { ...plain, vectors: wordlessVectors, ...own });
    return results
      .filter((one) => one.title.startsWith(title))
      .map(({ rule, skipped, broken }) => ({ rule, skipped, broken }));
  };
  const nameless = { answersAreNameless: ['void'], answersNameNoMoney: ['void'] } as const;

  it('lets an adapter learn a key of the standing answers once in a run', async () => {
    let learnt = 0;
    let verified = 0;
    const remembering = createKeyedAcme(async (raw, ctx) => {
      verified += 1;
      const { http, cache, now } = ctx;
      const send: typeof http.send = (request) =>
        cache.remember(request.path, async () => {
          const value = await http.send(request);
          learnt += 1;
          return { value, until: new Date(now().getTime() + 60_000) };
        });
      return verifySignature(raw, { ...ctx, http: { send } });
    });
    const own = { ...withoutSandbox, ...keyedKit, vectors: keyedVectors };
    const proofs = checks(remembering, own).filter(({ title }) => title.includes('changed'));
    for (const { run } of proofs) await run();
    expect(verified).to.be.greaterThan(500);
    expect(learnt).to.equal(1);
  });

  it('skips what an answer does not name, visibly, for the declared call and for no other', async () => {
    const payment = await declaring(nameless, 'believes no answer about another payment');
    expect(payment.filter(({ skipped }) => skipped !== undefined)).to.deep.equal([
      { rule: 'void', skipped: '`answersAreNameless`: no answer of the samples names a reference', broken: undefined },
    ]);
    const money = await declaring(nameless, 'believes no success of another amount');
    expect(money.filter(({ skipped }) => skipped !== undefined)).to.deep.equal([
      { rule: 'void', skipped: '`answersNameNoMoney`: no answer of the samples names its amount', broken: undefined },
    ]);
    expect([payment, money].flat().filter(({ broken }) => broken !== undefined)).to.deep.equal([]);
  });

  it('is red for a declaration that the samples contradict', async () => {
    const own = { answersAreNameless: true, answersNameNoMoney: true } as const;
    const redRules = async (title: string): Promise<string[]> =>
      (await declaring(own, title))
        .filter(({ broken }) => broken?.includes('although `answers'))
        .map(({ rule }) => rule);
    const expected = ['submission', 'fetchStatus', 'refund', 'capture'];
    expect(await redRules('believes no answer about another payment')).to.deep.equal(expected);
    expect(await redRules('believes no success of another amount')).to.deep.equal(expected);
  });

  it('skips the rule of keys, visibly, if no request names the attempt', async () => {
    const anonymous = createAcme({
      adapter: {
        submit: async (payment, { http }) => toOutcome(await http.send({ method: 'POST', path: '/charges' }), payment),
      },
    });
    const { sandbox: __, ...plain } = kit;
    const results = await runChecks(anonymous, plain);
    const { skipped } = results.find(
      ({ rule, title }) => rule === 'idempotency' && title.startsWith('is named alike'),
    )!;
    expect(skipped).to.equal('no request of the samples differs for another payment, so no key is seen');
  });

  it('lets a time and a signature in a body differ, if the kit names them', async () => {
    const stamped = createWholeAcme('refund', {
      request: (request, ctx) => ({
        ...request,
        body: JSON.stringify({
          ...JSON.parse(String(request.body)),
          at: ctx.now().getTime(),
          sign: [...ctx.random(4)],
        }),
      }),
    });
    const { sandbox: __, ...plain } = kit;
    const red = async (own: Partial<Kit<Options>>): Promise<string[]> =>
      (await runChecks(stamped, { ...plain, vectors: wholeVectors, ...own })).flatMap(({ rule, broken }) =>
        broken === undefined ? [] : [rule],
      );
    expect(await red({})).to.deep.equal(['refund']);
    expect(await red({ freshMembers: ['at', 'sign'] })).to.deep.equal([]);
  });

  it('is green for a provider that signs its answers, and for an acknowledgement under the first secret', async () => {
    for (const [adapter, own] of [
      [createSealedAcme(), sealedKit],
      [createSealedAcme(), { ...sealedKit, signAnswer }],
      [createKeyedAnswersAcme(), keyedAnswersKit],
    ] as const) {
      const results = await runChecks(adapter, { ...withoutSandbox, ...own });
      expect(results.filter(({ broken }) => broken !== undefined)).to.deep.equal([]);
    }
    const { signAnswer: _signer, ...withoutSigner } = keyedAnswersKit;
    const results = await runChecks(createKeyedAnswersAcme(), { ...withoutSandbox, ...withoutSigner });
    expect(results.find(({ title }) => title.includes('that another secret signed'))?.skipped).to.equal(
      'a public key verifies the answer: give the kit `signAnswer`, and the private key in `providerSide`',
    );
    const signing = createAcme({ route: { acknowledge: acknowledgeUnderFirst } });
    const first = await runChecks(signing, {
      ...withoutSandbox,
      routes: { 'POST acme': { ...kit.routes?.['POST acme'], acknowledgedBy: 'first' } },
    });
    expect(first.filter(({ broken }) => broken !== undefined)).to.deep.equal([]);
  });

  it('reports each rule that could prove nothing as skipped, with its reason', async () => {
    const skippedBy = async (own: Partial<Kit<Options>>, adapter = createAcme()): Promise<string[]> =>
      (await runChecks(adapter, { ...withoutSandbox, ...own })).flatMap(({ title, skipped }) =>
        skipped === undefined ? [] : [`${title}: ${skipped}`],
      );
    expect((await skippedBy({})).filter((line) => line.startsWith('POST acme'))).to.deep.equal([]);
    const { standing: _keys, ...withoutKeys } = keyedVectors;
    const byKey = await skippedBy(
      { vectors: withoutKeys, routes: { 'POST acme': { signedByKeyPair: true } } },
      createKeyedAcme(async (raw, ctx) => verifySignature(raw, { ...ctx, http: scriptedHttp(() => keyReply) })),
    );
    expect(byKey).to.include(
      'POST acme: is verified by our secrets and by no other: a public key verifies the route: give the kit `sign`, and the private key in `providerSide` of the vectors',
    );
    const unproven = await skippedBy({ vectors: unsigned.vectors }, unsigned.adapter);
    expect(unproven.filter((line) => line.endsWith('nothing signs the callbacks of POST acme')).length).to.equal(6);
  });

  it('makes a pending test of a skipped rule, whose title says why', function () {
    const suite = this.test!.parent!.parent!.suites.find(({ title }) => title === 'conformance of acme-unsigned')!;
    const pending = suite.tests.filter((test) => test.isPending()).map(({ title }) => title);
    expect(pending).to.include(
      'proof: POST acme: is verified by our secrets and by no other (skipped: nothing signs the callbacks of POST acme)',
    );
  });

  it('lets a signature that is random by nature differ, if the kit names its header', async () => {
    const plain = createAcme();
    const adapter = createAcme({
      adapter: {
        submit: async (payment, { http, ...provider }) =>
          plain.submit(payment, {
            ...provider,
            http: {
              send: async (request) =>
                http.send({ ...request, headers: { ...request.headers, 'X-Sign': randomUUID() } }),
            },
          }),
      },
    });
    const red = async (own: Partial<Kit<Options>>): Promise<number> =>
      (await runChecks(adapter, { ...kit, ...own })).filter(({ broken }) => broken?.includes('freshHeaders')).length;
    // The same bytes, and the same name when it is repeated.
    expect([await red({}), await red({ freshHeaders: ['x-sign'] })]).to.deep.equal([2, 0]);
  });

  it('is red once for each open decision of a scaffold, with its text, and for nothing else', async () => {
    const undecided = { proof: 'Say what proves a notice.', words: 'Say what the words mean.' };
    const results = await runChecks(createAcme({ manifest: { undecided } }), kit);
    const cure = (name: string): string =>
      `Cure: decide it, delete \`${name}\` from \`undecided\`, and let the compiler show what still depends on it`;
    expect(results.filter(({ broken }) => broken !== undefined)).to.deep.equal(
      Object.entries(undecided).map(([title, says]) => {
        return { rule: 'undecided', title, broken: `Not decided yet, ${says}\n${cure(title)}` };
      }),
    );
  });

  it('is red for a README that leaves something to decide, either by its decision or by its lines', async () => {
    const redWith = async (readme: string, undecided: Readonly<Record<string, string>> = {}): Promise<string[]> =>
      (await runChecks(createAcme({ manifest: { undecided } }), { ...kit, readme }))
        .filter(({ broken }) => broken !== undefined)
        .map(({ title, broken }) => `${title}: ${broken?.split('\n')[0]}`);
    const unwritten = '# Acme\n\nTo decide: who Acme is.\n\nIt is not hard To decide.\n';
    expect(await redWith(unwritten)).to.deep.equal([
      'leaves nothing to decide in the README: Not decided yet, README.md still says: To decide: who Acme is.',
    ]);
    expect(await redWith(unwritten, { readme: 'Write it.' })).to.deep.equal(['readme: Not decided yet, Write it.']);
    expect(await redWith('# Acme\n\nAcme is a bank.\n')).to.deep.equal([]);
  });

  it('has no check that cannot fail', () => {
    expect([...neverRed]).to.deep.equal([]);
  });

  it('reports each vector’s differences in words', async () => {
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
