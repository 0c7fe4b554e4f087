/** Runs the suites of faults by amount against providers that answer, wait, and refuse repetitions. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { CreateSandbox, Submission } from '../index.ts';
import { fromMinor, noInformation, onlyHeader } from '../index.ts';
import {
  amountRule,
  createDeliveries,
  createOnce,
  createRouter,
  faulty,
  jsonReply,
  troubleBefore,
  wrongSecret,
  type Message,
  type Reply,
  type SandboxRequest,
} from '../sandbox/index.ts';
import {
  describeAmountRules,
  describeScenarioRules,
  sampleSubmission,
  startRoundTrip,
  visitPage,
  type RoundTrip,
  type ScenarioRulesKit,
} from '../testing/index.ts';
import { scenarioRules } from '../testing/describe-scenario-rules.ts';
import { createAcme } from './acme/adapter.ts';
import { sealHeader, type Options } from './acme/protocol.ts';
import { createPageAcme, createReturningAcme, createReturningSandbox } from './acme/returning.ts';
import { options } from './acme/vectors.ts';

interface Asked {
  readonly ref: string;
  readonly minor: number;
  readonly cur: string;
}
type State = 'paid' | 'waiting';

/** Acme's side with the faulty amounts. It answers with this state, and to a repetition as a duplicate. */
function misbehaving(answered: State): CreateSandbox<Options> {
  return ({ baseUrl, publicUrl, delayMs, onDelivery }) => {
    const charges = new Map<string, Asked & { state: State }>();
    const deliveries = createDeliveries({
      delayMs,
      repeatAfter: [1, 1],
      acknowledged: ({ status }) => status === 200,
      onDelivery,
    });
    const isFirst = createOnce();
    const trouble = {
      error: jsonReply(500, { error: 'internal', charged: false }),
      tooMany: jsonReply(429, { error: 'slow_down', charged: false }),
    };
    const notice = ({ ref, minor, cur }: Asked, state: State): string =>
      JSON.stringify({ notice: `n-${ref}-${state}`, shop: options.shop, ref, id: `ac-${ref}`, state, minor, cur });

    const report = (charge: Asked & { state: State }, state: State, after: number): Message => ({
      name: state,
      after,
      request({ forged }) {
        if (state === 'paid') charge.state = 'paid';
        const body = Buffer.from(notice(charge, state));
        const [key = ''] = options.sealKeys;
        const seal = sealHeader(forged ? wrongSecret(key) : key, String(Math.floor(Date.now() / 1000)), body);
        return { method: 'POST', url: `${publicUrl}/callbacks/acme`, headers: { 'X-Acme-Seal': seal }, body };
      },
    });

    async function charge(request: SandboxRequest): Promise<Reply> {
      const asked = JSON.parse(Buffer.from(request.body).toString()) as Asked;
      const rule = amountRule({ amount: fromMinor(asked.minor, asked.cur), currency: asked.cur });
      const refused = troubleBefore(rule, () => isFirst(onlyHeader(request, 'Idempotency-Key') ?? ''), trouble);
      if (refused) return refused;
      if (charges.has(asked.ref)) return jsonReply(409, { error: 'duplicate', charged: true });
      const made = { ...asked, state: answered };
      charges.set(asked.ref, made);
      const reports =
        rule === '.56' ? [report(made, 'waiting', 1), report(made, 'paid', 2)] : [report(made, 'paid', 1)];
      await deliveries.play(reports, rule);
      return faulty(
        jsonReply(200, { id: `ac-${asked.ref}`, ref: asked.ref, state: answered, minor: asked.minor, cur: asked.cur }),
        rule,
      );
    }

    function status(_: SandboxRequest, ref: string): Reply {
      const found = charges.get(ref);
      return found ? { status: 200, body: notice(found, found.state) } : jsonReply(404, {});
    }

    const handle = createRouter({ 'POST /charges': charge, 'GET /charges/:ref': status }, { baseUrl });
    return { handle, close: () => deliveries.close() };
  };
}

let count = 0;
const payment = (amount: string): Submission => {
  count += 1;
  const reference = `GW-${20_000 + count}-1`;
  return { ...sampleSubmission, sandbox: true, reference, money: { amount, currency: 'EUR' } };
};
const acme = createAcme();
/** Finds a payment only by Acme's id. */
const findingById = createAcme({
  adapter: {
    fetchStatus: async (payment, ctx) =>
      payment.providerReference === undefined ? noInformation('no id is known') : acme.fetchStatus!(payment, ctx),
  },
});
const startWith =
  (state: State, adapter = acme) =>
  async (delayMs = 8): Promise<RoundTrip<Options>> =>
    startRoundTrip({ adapter, createSandbox: misbehaving(state), options, delayMs });

const rules = { payment, repetition: 'refused', never: 'no_information' } as const;

describe('the suite for payments approved in the answer, where a repetition is refused', () => {
  describeAmountRules({ ...rules, start: startWith('paid'), paid: 'paid succeeded', waits: 'waiting pending' });
});

const settledByCallback = {
  ...rules,
  withoutAction: true,
  scenario: ['paid succeeded'],
  outOfOrder: ['paid succeeded', 'waiting pending'],
} as const;

describe('the suite for payments that only callbacks settle, where the payer sees nothing', () => {
  describeScenarioRules({ ...settledByCallback, start: startWith('waiting') });
});

describe('the suite for payments that only callbacks settle, which are found by the provider’s id alone', () => {
  describeScenarioRules({ ...settledByCallback, start: startWith('waiting', findingById), lost: 'no_information' });
});

describe('the suite for payments that end before the gateway can ask for them', () => {
  const start = () => startRoundTrip({ adapter: acme, createSandbox: misbehaving('waiting'), options, delayMs: 0 });
  describeScenarioRules({ ...settledByCallback, start });
});

const chargedAtReturn: ScenarioRulesKit<Options> = {
  payment,
  start: (delayMs = 8) =>
    startRoundTrip({ adapter: createReturningAcme(), createSandbox: createReturningSandbox(), options, delayMs }),
  payer: (action) => visitPage(action, 'pay'),
  chargedBy: 'complete',
  scenario: ['approved pending', 'paid succeeded'],
  never: 'no_information',
};

describe('the suite for orders that charge nothing until the payer returns', () => {
  describeScenarioRules(chargedAtReturn);
});

const startAtPage = (adapter = createPageAcme(), ignored?: '.53') => ({
  start: (delayMs = 8) =>
    startRoundTrip({
      adapter,
      createSandbox: createReturningSandbox(ignored, 'page'),
      options,
      delayMs,
      patienceMs: 3_000,
    }),
});
const lostPage: ScenarioRulesKit<Options> = {
  ...chargedAtReturn,
  ...startAtPage(),
  chargedBy: 'submit',
  lost: 'unpayable',
};

describe('the suite for pages whose address is lost with the answer', () => {
  describeScenarioRules(lostPage);
});

describe('the suite of faulty amounts', () => {
  const failed = async (kit: ScenarioRulesKit<Options>): Promise<string[]> => {
    const titles: string[] = [];
    for (const { title, run } of scenarioRules(kit)) await run().catch(() => titles.push(title));
    return titles.map((title) => /\.5\d/.exec(title)?.[0] ?? title);
  };

  for (const rule of ['.50', '.51', '.52', '.53', '.54', '.55', '.56', '.57'] as const) {
    it(`fails for a sandbox that ignores ${rule}, and for no other rule`, async () => {
      const adapter = createReturningAcme();
      const createSandbox = createReturningSandbox(rule);
      // Without `.55` nothing is reported before the page answers, and this delay is longer than the whole payment.
      const delayMs = rule === '.55' ? 400 : 8;
      const start = () => startRoundTrip({ adapter, createSandbox, options, delayMs, patienceMs: 3_000 });
      expect(await failed({ ...chargedAtReturn, start })).to.deep.equal([rule]);
    });
  }

  it('fails for a lost page whose loss may have charged, that is paid, or that is not lost', async () => {
    const page = createPageAcme();
    const charging = createPageAcme({
      submit: (payment, ctx) => {
        const send: typeof ctx.http.send = (request) => {
          const charging = { ...request };
          Reflect.deleteProperty(charging, 'chargesNothing');
          return ctx.http.send(charging);
        };
        return page.submit(payment, { ...ctx, http: { send } });
      },
    });
    const paid = createPageAcme({
      async fetchStatus(stored, ctx) {
        const report = await page.fetchStatus!(stored, ctx);
        if (report.result !== 'events') return report;
        return { ...report, events: report.events.map((event) => ({ ...event, providerStatus: 'paid' })) };
      },
    });
    for (const broken of [startAtPage(charging), startAtPage(paid), startAtPage(page, '.53')])
      expect(await failed({ ...lostPage, ...broken })).to.deep.equal(['.53']);
  });

  it('fails if a fetch does not show how to pay a payment that waits', async () => {
    const { withoutAction: _, ...shown } = settledByCallback;
    expect(await failed({ ...shown, start: startWith('waiting') })).to.deep.equal(['.53']);
  });
});
