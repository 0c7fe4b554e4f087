/** Collects warnings while a request is read, and adds them to the answer. */
import { didYouMean } from '../base/text/nearest.ts';
import type { Guess, Warn, Warning } from '../base/warnings.ts';
import type { RequestState } from './state.ts';

/** A request may contain thousands of unknown members. More than this many warnings help no reader. */
const maxWarnings = 20;
/**
 * Nearest names that are sought for one request, over all entries of a batch. Each compares the unknown name with all
 * known ones.
 */
const maxGuesses = 20;
const maxHeaders = 5;
const maxHeaderLength = 150;

/** Each entry of a batch has a state of its own. `whole` is the state of the request, which counts the guesses. */
export function collectWarnings(state: Pick<RequestState, 'warnings' | 'guesses'>, whole = state): Warn {
  const warnings = (state.warnings ??= []);
  const guess: Guess = (name, known) => {
    whole.guesses = (whole.guesses ?? 0) + 1;
    return whole.guesses > maxGuesses ? '' : didYouMean(name, known);
  };
  return (warning) => {
    if (warnings.length < maxWarnings) warnings.push(typeof warning === 'function' ? warning(guess) : warning);
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
