/** Warnings of one request: gathered while it is read, and said with its answer. */
import type { Warn, Warning } from '../base/warnings.ts';
import type { RequestState } from './state.ts';

/** One request may hold thousands of unknown members; nobody reads so many. */
const maxWarnings = 20;
const maxHeaders = 5;
const maxHeaderLength = 150;

export function collectWarnings(state: RequestState): Warn {
  const warnings = (state.warnings ??= []);
  return (warning) => {
    if (warnings.length < maxWarnings) warnings.push(warning);
  };
}

/** The member `warnings` of a JSON answer; none where there is nothing to say. */
export function presentWarnings(warnings: readonly Warning[] | undefined): { readonly warnings?: readonly Warning[] } {
  return warnings?.length ? { warnings } : {};
}

/** `X-Gateway-Warning`, one per warning. */
export function setWarningHeaders(
  ctx: { set(name: string, values: string[]): void },
  warnings: readonly Warning[] | undefined,
): void {
  if (!warnings?.length) return;
  const texts = warnings.slice(0, maxHeaders).map(({ field, message }) => `${field} ${message}`);
  ctx.set(
    'X-Gateway-Warning',
    // Headers are printable ASCII; a comma would look like the end of a warning.
    texts.map((text) =>
      text
        .replaceAll(/[^\x20-\x7e]/g, '?')
        .replaceAll(',', ';')
        .slice(0, maxHeaderLength),
    ),
  );
}
