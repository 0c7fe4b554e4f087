import type { Command } from '../command.ts';
import { adaptersDrain, adaptersList, adaptersOff, adaptersOn } from './adapters.ts';
import { adaptersTableCommand } from './adapters-table.ts';
import { configPrint } from './config-print.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { keysCreate } from './keys-create.ts';
import { keysLimit } from './keys-limit.ts';
import { keysList } from './keys-list.ts';
import { keysRevoke } from './keys-revoke.ts';
import { keysRotate } from './keys-rotate.ts';
import { newAdapter } from './new-adapter.ts';
import { ownersSet } from './owners-set.ts';
import { replay } from './replay.ts';
import { routesExplain } from './routes-explain.ts';
import { secretsRotate } from './secrets-rotate.ts';
import { start } from './start.ts';
import { trigger } from './trigger.ts';
import { vectors } from './vectors.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  start,
  demo,
  keysCreate,
  keysList,
  keysRevoke,
  keysRotate,
  keysLimit,
  ownersSet,
  secretsRotate,
  adaptersList,
  adaptersOn,
  adaptersDrain,
  adaptersOff,
  adaptersTableCommand,
  routesExplain,
  trigger,
  vectors,
  replay,
  doctor,
  newAdapter,
  configPrint,
];
