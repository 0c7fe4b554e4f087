/** Collects warnings while a request is read, and adds them to the answer. */
import type { Warn, Warning } from '../base/warnings.ts';
import type { RequestState } from './state.ts';

/** A request may contain thousands of unknown members. More than this many warnings help no reader. */
const maxWarnings = 20;
const maxHeaders = 5;
const maxHeaderLength = 150;

export function collectWarnings(state: RequestState): Warn {
  const warnings = (state.warnings ??= []);
  return (warning) => {
    if (warnings.length < maxWarnings) warnings.push(warning);
  };
}

/** The member `warnings` of a JSON answer. Absent if there are no warnings. */
export function presentWarnings(warnings: readonly Warning[] | undefined): { readonly warnings?: readonly Warning[] } {
  return warnings?.length ? { warnings } : {};
}

/** Sets one header `X-Gateway-Warning` per warning. */
export function setWarningHeaders(
  ctx: { set(name: string, values: string[]): void },
  warnings: readonly Warning[] | undefined,
): void {
  if (!warnings?.length) return;
  const texts = warnings.slice(0, maxHeaders).map(({ field, message }) => `${field} ${message}`);
  ctx.set(
    'X-Gateway-Warning',
    // Headers are printable ASCII. A comma would separate two warnings.
    texts.map((text) =>
      text
        .replaceAll(/[^\x20-\x7e]/g, '?')
        .replaceAll(',', ';')
        .slice(0, maxHeaderLength),
    ),
  );
}
