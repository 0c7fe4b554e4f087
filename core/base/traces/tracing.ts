/** Traces by OpenTelemetry, sent by OTLP over HTTP. Imported only if an exporter is configured. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import type { Context, Link, Span as TracedSpan, SpanContext } from '@opentelemetry/api';
import type { Attributes, OpenSpan, Span, SpanPlan } from './span.ts';

export interface Tracing {
  run<T>(name: string, plan: SpanPlan, work: (span: Span) => Promise<T>): Promise<T>;
  open(name: string, plan: SpanPlan): OpenSpan;
  current(): string | undefined;
  readMerchants(traceparent: string): string | undefined;
  close(limitMs: number): Promise<void>;
}

export interface TracingOptions {
  readonly endpoint: string;
  readonly ratio: number;
  /** The name of this process. */
  readonly name: string;
  /** Called when spans could not be sent. */
  readonly onProblem: (message: string) => void;
}

/** W3C Trace Context, version 00. Our stored form may have a suffix that says who started the trace. */
const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})( merchant)?$/;
const none = /^0+$/;

/** The current span. */
interface Active {
  readonly context: SpanContext;
  readonly isMerchants: boolean;
  /** Called when another span starts because of this one. */
  readonly use: () => void;
}

export class MissingPackages extends Error {
  override readonly name = 'MissingPackages';
  readonly problems: readonly string[];

  constructor(cause: unknown) {
    const message =
      'traces.endpoint is set, but the packages that send traces are not installed: npm install --no-save ' +
      '@opentelemetry/sdk-trace-base @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http, or install without --omit=optional.';
    super(message, { cause });
    this.problems = [message];
  }
}

async function importPackages() {
  try {
    const [api, sdk, resources, exporter] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    return { api, sdk, resources, exporter };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') throw new MissingPackages(error);
    throw error;
  }
}

/** Rejects with MissingPackages. */
export async function createTracing({ endpoint, ratio, name, onProblem }: TracingOptions): Promise<Tracing> {
  const { api, sdk, resources, exporter } = await importPackages();
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, diag, DiagLogLevel } = api;
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;
  const problem = (message: string): void => onProblem(message);
  const silent = (): void => undefined;
  diag.setLogger(
    { error: problem, warn: problem, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const sampled = new sdk.TraceIdRatioBasedSampler(ratio);
  const provider = new sdk.BasicTracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'payment-gateway',
      'service.instance.id': `${hostname()}/${name}`,
    }),
    // Neither a merchant nor an outsider can request more traces than the config allows: every process samples the same
    // traces.
    sampler: new sdk.ParentBasedSampler({ root: sampled, remoteParentSampled: sampled }),
    spanProcessors: [
      new sdk.BatchSpanProcessor(
        new exporter.OTLPTraceExporter({ url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces` }),
      ),
    ],
  });
  const tracer = provider.getTracer('payment-gateway');
  const active = new AsyncLocalStorage<Active>();

  function read(
    text: string | undefined,
  ): { readonly context: SpanContext; readonly isMerchants: boolean } | undefined {
    const [, traceId = '', spanId = '', flags = '', origin] = form.exec(text ?? '') ?? [];
    if (traceId === '' || none.test(traceId) || none.test(spanId)) return undefined;
    const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
    return { context, isMerchants: origin !== undefined };
  }

  function write({
    context: { traceId, spanId, traceFlags },
    isMerchants,
  }: Pick<Active, 'context' | 'isMerchants'>): string {
    return `00-${traceId}-${spanId}-0${traceFlags & 1}${isMerchants ? ' merchant' : ''}`;
  }

  function begin(
    spanName: string,
    plan: SpanPlan,
  ): { readonly traced: TracedSpan; readonly own: Active; readonly isUsed: () => boolean } {
    const { kind, parent, isRoot = false, links = [], attributes = {}, isQuiet = false } = plan;
    const here = isRoot ? undefined : active.getStore();
    here?.use();
    const given = read(parent);
    const above = given ?? here;
    const followed = [...links.map((link) => read(link)?.context), above === here ? undefined : here?.context];
    const parentContext: Context = above ? trace.setSpanContext(ROOT_CONTEXT, above.context) : ROOT_CONTEXT;
    const traced = tracer.startSpan(
      spanName,
      {
        ...(kind && { kind: kinds[kind] }),
        attributes: present(attributes),
        links: followed.flatMap((context): Link[] => (context ? [{ context }] : [])),
      },
      parentContext,
    );
    let isUsed = !isQuiet;
    const own: Active = {
      context: traced.spanContext(),
      isMerchants: above?.isMerchants ?? false,
      use() {
        isUsed = true;
      },
    };
    return { traced, own, isUsed: () => isUsed };
  }

  function spanOf(traced: TracedSpan, own: Active): Span {
    return {
      rename: (to) => void traced.updateName(to),
      set: (attributes) => void traced.setAttributes(present(attributes)),
      fail: (message) =>
        void traced.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) }),
      trace: write(own),
    };
  }

  return {
    async run(spanName, plan, work) {
      const { traced, own, isUsed } = begin(spanName, plan);
      const span = spanOf(traced, own);
      let isFailed = false;
      try {
        return await active.run(own, async () => work(span));
      } catch (error) {
        isFailed = true;
        // Only the class of the error is recorded, because its message may contain anything.
        span.fail(error instanceof Error ? error.name : 'a value that is not an Error');
        throw error;
      } finally {
        // A span that is not ended is never sent.
        if (isUsed() || isFailed) traced.end();
      }
    },
    open(spanName, plan) {
      const { traced, own } = begin(spanName, plan);
      return { ...spanOf(traced, own), end: () => traced.end() };
    },
    current() {
      const here = active.getStore();
      return here && write(here);
    },
    readMerchants(traceparent) {
      const found = read(traceparent);
      return found && write({ ...found, isMerchants: true });
    },
    async close(limitMs) {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), limit]);
      clearTimeout(timer);
    },
  };
}

function present(attributes: Attributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
