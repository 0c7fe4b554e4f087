import { didYouMean } from '../base/text/nearest.ts';
import { UsageError } from './command.ts';

/** Throws a UsageError if the config has no adapter of this name. */
export function checkAdapterName(
  name: string,
  { adapters }: { readonly adapters: Readonly<Record<string, unknown>> },
): void {
  const known = Object.keys(adapters);
  if (known.includes(name)) return;
  throw new UsageError(
    `Unknown adapter "${name}"${didYouMean(name, known) || `: the config has ${known.join(', ')}.`}`,
  );
}
