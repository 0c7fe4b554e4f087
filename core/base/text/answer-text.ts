/** Describes the result of an HTTP call to a provider or to a merchant's receiver. */
export function answerText({
  status,
  error,
  ms,
}: {
  /** Null: no answer arrived, and `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ms: number | null;
}): string {
  if (status === null) return `${error ?? 'no result'}${ms === null ? '' : ` (${ms} ms)`}`;
  return `HTTP ${status}${ms === null ? '' : ` in ${ms} ms`}`;
}
