/** A piece of work in a trace, and what is said of it. */

/** Never a card number, a secret, a query or who somebody is. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Span {
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** The work did not come to what it should; the reason holds nothing of what was sent. */
  fail(reason?: string): void;
  /** For documents that others work on, and for what begins elsewhere on its account; undefined: traces are off. */
  readonly trace: string | undefined;
}

/** A span that ends when its holder says so. */
export interface OpenSpan extends Span {
  end(): void;
}

export interface SpanPlan {
  readonly kind?: 'server' | 'client' | 'consumer';
  /** A `trace` of another span, of whatever process. Absent: the span that is under way here. */
  readonly parent?: string | undefined;
  /** Whatever is under way here, it begins on nobody's account. */
  readonly isRoot?: boolean;
  /** Other spans that it follows from; what runs here and is of another trace is one by itself. */
  readonly links?: readonly (string | undefined)[];
  readonly attributes?: Attributes;
  /** It is left out unless another span begins on its account: jobs look for work more often than there is any. */
  readonly isQuiet?: boolean;
}
