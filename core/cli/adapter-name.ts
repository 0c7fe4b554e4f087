import { didYouMean } from '../base/text/nearest.ts';
import { UsageError } from './command.ts';

/** Throws a UsageError where config lists no adapter of this name. */
export function checkAdapterName(
  name: string,
  { adapters }: { readonly adapters: Readonly<Record<string, unknown>> },
): void {
  const known = Object.keys(adapters);
  if (known.includes(name)) return;
  throw new UsageError(`There is no adapter ${name}${didYouMean(name, known) || `; there are: ${known.join(', ')}.`}`);
}
