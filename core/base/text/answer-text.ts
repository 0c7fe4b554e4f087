/** What came of a call over HTTP, in words: of a provider, or of a merchant's receiver. */
export function answerText({
  status,
  error,
  ms,
}: {
  /** Null: no answer came, and `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ms: number | null;
}): string {
  if (status === null) return `${error ?? 'no result'}${ms === null ? '' : ` (${ms} ms)`}`;
  return `HTTP ${status}${ms === null ? '' : ` in ${ms} ms`}`;
}
