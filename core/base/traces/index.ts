/**
 * Traces: what a merchant's request causes, as spans of one trace, in whichever process it happens. Off unless an exporter is
 * configured: then nothing of OpenTelemetry is imported, and a span costs a look at a variable.
 */
import type { OpenSpan, Span, SpanPlan } from './span.ts';
import type { Tracing } from './tracing.ts';

export type { Attributes, OpenSpan, Span, SpanPlan } from './span.ts';

export interface TracesConfig {
  /** Of an OTLP/HTTP receiver, without `/v1/traces`; absent: traces are off. */
  readonly endpoint?: string | undefined;
  /** Of the traces that begin. */
  readonly ratio: number;
}

const noSpan: Span = { rename: () => undefined, set: () => undefined, fail: () => undefined, trace: undefined };

let tracing: Tracing | undefined;

/** Of this process, once. Rejects with a sentence for the operator where the packages are missing. */
export async function startTraces(
  { endpoint, ratio }: TracesConfig,
  process: { readonly name: string; readonly onProblem: (message: string) => void },
): Promise<void> {
  if (endpoint === undefined || tracing) return;
  const { createTracing } = await import('./tracing.ts');
  tracing = await createTracing({ ...process, endpoint, ratio });
}

/** Sends what is not sent yet, for at most so long. */
export async function stopTraces(limitMs: number): Promise<void> {
  const ending = tracing;
  tracing = undefined;
  await ending?.close(limitMs);
}

/** Does the work in a span; what it throws fails the span. */
export async function withSpan<T>(name: string, plan: () => SpanPlan, work: (span: Span) => Promise<T>): Promise<T> {
  return tracing ? tracing.run(name, plan(), work) : work(noSpan);
}

/** Undefined where traces are off. */
export function openSpan(name: string, plan: () => SpanPlan): OpenSpan | undefined {
  return tracing?.open(name, plan());
}

/** Of the span that is under way here, for a document that others work on. */
export function currentTrace(): string | undefined {
  return tracing?.current();
}

/** What a merchant's header says; undefined for none, or one of another form. */
export function traceOfMerchant(traceparent: string): string | undefined {
  return tracing?.readMerchants(traceparent);
}

/** The header of a request to the merchant on account of a span: only where the merchant began its trace. */
export function traceForMerchant({ trace }: Pick<Span, 'trace'>): { readonly traceparent?: string } {
  const [traceparent = '', whose] = trace?.split(' ') ?? [];
  return whose === undefined ? {} : { traceparent };
}
