/** Adapters that each break one rule, and what the kit must say about them. */
import type { ProviderAdapter } from '../../index.ts';
import type { Kit } from '../../testing/index.ts';
import type { Options } from './protocol.ts';

export interface Broken {
  readonly fault: string;
  /** The rule that must turn red. */
  readonly rule: string;
  /** Text that the failing check must contain. */
  readonly says: string;
  readonly adapter: ProviderAdapter<Options>;
  readonly kit?: Partial<Kit<Options>>;
}
