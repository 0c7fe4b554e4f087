/** A span: a piece of work in a trace, and its attributes. */

/** Never contains a card number, a secret, a query or personal data. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Span {
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks the work as failed. The reason contains nothing of the sent data. */
  fail(reason?: string): void;
  /**
   * The trace context, for documents that other processes work on and for work that this span causes elsewhere;
   * undefined: traces are off.
   */
  readonly trace: string | undefined;
}

/** A span that the caller must end. */
export interface OpenSpan extends Span {
  end(): void;
}

export interface SpanPlan {
  readonly kind?: 'server' | 'client' | 'consumer';
  /** The trace context of another span, of any process. Absent: the current span. */
  readonly parent?: string | undefined;
  /** Starts a new trace even if a span is current. */
  readonly isRoot?: boolean;
  /** Other spans that it follows from. The current span is added automatically if it belongs to another trace. */
  readonly links?: readonly (string | undefined)[];
  readonly attributes?: Attributes;
  /** The span is omitted unless another span starts because of it: jobs poll for work more often than there is work. */
  readonly isQuiet?: boolean;
}
