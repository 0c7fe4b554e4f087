/** The options of a service, and the result of its start. */
import type { LoadedConfig } from '../../config/load-config.ts';
import type { CreatedKey } from '../../core/engine/access/index.ts';
import type { SandboxReport } from './dev/sandboxes.ts';
import type { Role } from './roles.ts';

export interface ServiceOptions {
  readonly role: Role;
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  /** Prints a line for the person at the screen. */
  readonly print: (line: string) => void;
  /** Prints progress during the start. Default: `print`. */
  readonly report?: (line: string) => void;
}

export interface Started {
  readonly apiUrl: string;
  readonly mongodbUri: string;
  readonly sandboxes: readonly SandboxReport[];
  /** Only of the first start. */
  readonly firstKey: CreatedKey | undefined;
}

export interface StepsOptions extends Required<ServiceOptions> {
  /** Aborts when the service stops. */
  readonly signal: AbortSignal;
}
