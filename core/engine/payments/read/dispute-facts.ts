/** What a provider adds to a dispute: its reason, and until when it must be answered. */

/** The spellings of adapters: `respondBy`, `evidenceDueBy`, `deadline`. */
const deadlineName = /(?:due|respond)_?by$|deadline$/i;

/** Null: the provider named none, or not a valid time. */
export function deadlineOf(details: Readonly<Record<string, string>>): Date | null {
  const text = Object.entries(details).find(([name]) => deadlineName.test(name))?.[1];
  const at = text === undefined ? undefined : new Date(text);
  return at && !Number.isNaN(at.getTime()) ? at : null;
}

/** In the provider's words; null: it named none. */
export function reasonOf(details: Readonly<Record<string, string>>): string | null {
  return details['reason'] ?? null;
}

/** The details without the deadline and the reason, which are shown on their own. */
export function otherDetails(details: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(details).filter(([name]) => name !== 'reason' && !deadlineName.test(name)));
}
