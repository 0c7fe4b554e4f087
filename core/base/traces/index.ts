/**
 * Traces: everything that a merchant's request causes, as spans of one trace across processes. Traces are off unless an
 * exporter is configured. If they are off, OpenTelemetry is not imported, and a span costs one check of a variable.
 */
import type { OpenSpan, Span, SpanPlan } from './span.ts';
import type { Tracing } from './tracing.ts';

export type { Attributes, OpenSpan, Span, SpanPlan } from './span.ts';

export interface TracesConfig {
  /** The address of an OTLP/HTTP receiver, without `/v1/traces`; absent: traces are off. */
  readonly endpoint?: string | undefined;
  /** The ratio of sampled traces, for traces that start here. */
  readonly ratio: number;
}

const noSpan: Span = { rename: () => undefined, set: () => undefined, fail: () => undefined, trace: undefined };

let tracing: Tracing | undefined;

/**
 * Starts the traces of this process; call once. Rejects with a message for the operator if the packages are not
 * installed.
 */
export async function startTraces(
  { endpoint, ratio }: TracesConfig,
  process: { readonly name: string; readonly onProblem: (message: string) => void },
): Promise<void> {
  if (endpoint === undefined || tracing) return;
  const { createTracing } = await import('./tracing.ts');
  tracing = await createTracing({ ...process, endpoint, ratio });
}

/** Sends the remaining spans, within a time limit. */
export async function stopTraces(limitMs: number): Promise<void> {
  const ending = tracing;
  tracing = undefined;
  await ending?.close(limitMs);
}

/** Runs the work in a span. An error of the work fails the span. */
export async function withSpan<T>(name: string, plan: () => SpanPlan, work: (span: Span) => Promise<T>): Promise<T> {
  return tracing ? tracing.run(name, plan(), work) : work(noSpan);
}

/** Undefined if traces are off. */
export function openSpan(name: string, plan: () => SpanPlan): OpenSpan | undefined {
  return tracing?.open(name, plan());
}

/** The trace context of the current span, for a document that other processes work on. */
export function currentTrace(): string | undefined {
  return tracing?.current();
}

/** Reads the trace context of a merchant's header; undefined if it is absent or invalid. */
export function traceOfMerchant(traceparent: string): string | undefined {
  return tracing?.readMerchants(traceparent);
}

/** The header of a request to the merchant that a span causes. Only set if the merchant started the trace. */
export function traceForMerchant({ trace }: Pick<Span, 'trace'>): { readonly traceparent?: string } {
  const [traceparent = '', origin] = trace?.split(' ') ?? [];
  return origin === undefined ? {} : { traceparent };
}
