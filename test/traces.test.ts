/**
 * One trace from a merchant's request to its notification, as a real OTLP receiver gets it, and no trace when tracing
 * is off.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { moduleHooks } from '../core/base/testing/module-hooks.ts';
import { until } from '../core/base/testing/until.ts';
import { chooseFreePort } from '../workers/supervisor/dev/mongod/index.ts';
import { endAll, runGateway, untilReady, type RunningGateway } from '../workers/supervisor/testing/running-gateway.ts';
import { cardBody, payer } from './support/bodies.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { root } from './support/start-gateway.ts';

const run = promisify(execFile);

/** A span in OTLP's JSON format. */
interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const merchantSpan = '00f067aa0ba902b7';
const card = '4111111111111111';

describe('tracing', function () {
  this.timeout(300_000);
  let folder: string;
  let collector: Server;
  let receiver: Receiver;
  let service: RunningGateway;
  let url: string;
  let key: string;
  const spans: Sent[] = [];

  before(async () => {
    collector = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString());
        if (request.url === '/v1/traces')
          for (const { scopeSpans } of resourceSpans) for (const one of scopeSpans) spans.push(...one.spans);
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => {
      collector.listen(0, '127.0.0.1', resolve);
    });
    receiver = await startReceiver();
    folder = await mkdtemp(join(tmpdir(), 'gateway-traces-'));
    await writeFile(join(folder, 'own.yaml'), 'adapters:\n  provider-a: { state: on }\n');
    const port = await chooseFreePort();
    url = `http://127.0.0.1:${port}`;
    service = runGateway(['start'], join(folder, 'data'), {
      PORT: `${port}`,
      GATEWAY_CONFIG: join(folder, 'own.yaml'),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    key = /gk_test_[\w-]+/.exec(await untilReady(service))?.[0] ?? '';
  });
  after(async () => {
    service.signalGroup('SIGTERM');
    await service.ended;
    endAll();
    await receiver.close();
    collector.closeAllConnections();
    await new Promise((resolve) => {
      collector.close(resolve);
    });
    await rm(folder, { recursive: true, force: true });
  });

  async function pay(headers: Readonly<Record<string, string>>): Promise<number> {
    const response = await fetch(`${url}/payments/h2h/11?note=hidden-in-query`, {
      method: 'POST',
      headers: { 'X-API-Key': key, Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
      body: cardBody(card, '25.90', { notifyUrl: receiver.url }),
    });
    expect(response.status, await response.text()).to.equal(200);
    const id = Number(response.headers.get('x-payment-request-id'));
    await until('it is notified', () => receiver.ofPayment(id).some(({ json }) => json.type === 'payment.succeeded'));
    return id;
  }
  const attributesOf = ({ attributes }: Sent): Record<string, unknown> =>
    Object.fromEntries(attributes.map(({ key: name, value }) => [name, Object.values(value)[0]]));
  const ofPayment = (id: number, name: string): Sent[] =>
    spans.filter((one) => one.name === name && String(attributesOf(one)['gateway.payment_request_id']) === String(id));
  const hasLinkTo = (span: Sent, to: Sent): boolean =>
    (span.links ?? []).some((link) => link.spanId === to.spanId && link.traceId === to.traceId);

  it('follows the merchant’s request through the provider call, the callback and the jobs to the notification', async () => {
    const id = await pay({ traceparent: `00-${traceId}-${merchantSpan}-01` });
    const found = await until('all is sent', () => {
      const [request] = ofPayment(id, 'POST /payments/h2h/:code');
      const [call] = ofPayment(id, 'submit provider-a');
      const applied = ofPayment(id, 'apply callback');
      const deliveries = ofPayment(id, 'deliver notification');
      const jobs = spans.filter(({ name }) => name === 'job drain-callbacks');
      const received = receiver.ofPayment(id).length;
      const isWhole = request && call && applied.length > 0 && deliveries.length >= received;
      const callbacks = spans.filter(({ name }) => name.startsWith('POST /callbacks/'));
      const isLinked = (one: Sent, to: readonly Sent[]): boolean => to.some((other) => hasLinkTo(one, other));
      return isWhole && applied.every((one) => isLinked(one, jobs) && isLinked(one, callbacks))
        ? { request, call, applied, deliveries }
        : undefined;
    });
    const { request, call, applied, deliveries } = found;
    expect(request).to.deep.include({ traceId, parentSpanId: merchantSpan, kind: 2 });
    expect(attributesOf(request)).to.include({ 'http.route': '/payments/h2h/:code', 'http.request.method': 'POST' });
    expect(call).to.deep.include({ traceId, parentSpanId: request.spanId, kind: 3 });
    expect(attributesOf(call)).to.include({ 'gateway.adapter': 'provider-a', 'gateway.call': 'submit' });
    expect(attributesOf(call)['gateway.outcome']).to.be.oneOf(['pending', 'succeeded']);
    for (const one of applied) {
      expect(one).to.deep.include({ traceId, parentSpanId: request.spanId, kind: 5 });
      const callbacks = spans.filter(({ name }) => name.startsWith('POST /callbacks/'));
      const taken = callbacks.find((callback) => hasLinkTo(one, callback));
      expect(taken, 'the callback that it follows from').to.be.an('object');
      expect(taken!.traceId, 'trace headers of the provider are ignored').not.to.equal(traceId);
      const verified = spans.find(
        ({ name, parentSpanId }) => name === 'verify callback' && parentSpanId === taken!.spanId,
      );
      expect(attributesOf(verified!)).to.include({ 'gateway.adapter': 'provider-a', 'gateway.outcome': 'genuine' });
    }
    for (const one of deliveries) {
      expect(one).to.deep.include({ traceId, kind: 3 });
      expect([request, ...applied].map(({ spanId }) => spanId)).to.include(one.parentSpanId);
    }
    const sent = receiver.ofPayment(id).map(({ headers }) => headers['traceparent']);
    expect(sent).to.have.members(deliveries.map(({ spanId }) => `00-${traceId}-${spanId}-01`));
  });

  it('uses an id of its own for a merchant that sends none, and does not send it to that merchant', async () => {
    const id = await pay({});
    const [request] = await until('it is sent', () => {
      const found = ofPayment(id, 'POST /payments/h2h/:code');
      return found.length > 0 && ofPayment(id, 'deliver notification').length > 0 ? found : undefined;
    });
    expect(request!.parentSpanId ?? '').to.equal('');
    expect(request!.traceId).not.to.equal(traceId);
    expect(new Set(ofPayment(id, 'deliver notification').map((one) => one.traceId))).to.deep.equal(
      new Set([request!.traceId]),
    );
    expect(receiver.ofPayment(id).every(({ headers }) => headers['traceparent'] === undefined)).to.equal(true);
  });

  it('exports no cards, keys, queries or payers', () => {
    // Ids are random and may contain any three digits.
    const said = spans.flatMap((one) => [one.name, ...Object.values(attributesOf(one)).map(String)]);
    expect(said.length).to.be.above(50);
    expect(said, 'the CVV').not.to.include('737');
    const secrets = [card, key, payer.email, payer.name, payer.phoneNumber, payer.address, 'hidden-in-query'];
    for (const secret of secrets) expect(said.join('\n'), secret).not.to.include(secret);
  });

  /** Runs a separate program with a hook that sees its imports. */
  async function runWith(hook: string, program: string): Promise<{ stdout: string; stderr: string }> {
    const hooks = moduleHooks({ resolve: `${hook} return next(name, context);` });
    const words = ['--import', hooks, '--input-type=module', '-e', program];
    return run(process.execPath, words, { cwd: root });
  }

  it('loads nothing of OpenTelemetry and starts no span when it is off', async () => {
    // Only our own imports count: prom-client requires @opentelemetry/api.
    const hook = `const isImport = context.conditions.includes('import');
      if (isImport && /^@opentelemetry\\/|\\/tracing\\.js$/.test(name)) console.error('imported ' + name);`;
    const program = `
      const { startTraces, withSpan, currentTrace, openSpan } = await import('./.build/core/base/traces/index.js');
      await Promise.all(['gateway', 'http/index', 'engine/jobs/index'].map((name) => import('./.build/core/' + name + '.js')));
      await startTraces({ ratio: 1 }, { name: 'test', onProblem: () => {} });
      const plan = () => { throw new Error('planned'); };
      await withSpan('nothing', plan, async ({ trace }) => console.log(trace, currentTrace(), openSpan('nothing', plan)));
    `;
    const { stdout, stderr } = await runWith(hook, program);
    expect(stderr).not.to.include('imported');
    expect(stdout).to.equal('undefined undefined undefined\n');
  });

  it('says which packages to install when they are missing', async () => {
    const hook = `if (name.includes('exporter-trace')) return next('@opentelemetry/not-there', context);`;
    const program = `
      const { startTraces } = await import('./.build/core/base/traces/index.js');
      const starting = startTraces({ endpoint: 'http://127.0.0.1:9', ratio: 1 }, { name: 'test', onProblem: () => {} });
      await starting.catch(({ problems }) => console.log(problems.join()));
    `;
    const { stdout } = await runWith(hook, program);
    expect(stdout).to.match(
      /^traces\.endpoint is set, but the packages that send traces are not installed: npm install /,
    );
  });
});
