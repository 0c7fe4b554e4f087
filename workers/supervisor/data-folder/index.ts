/** The data folder: its lock, its state file and secrets, and the processes that run on it. */
export { awaitService, findApi } from './await-service.ts';
export { findHolder, lockFolder, type Holder, type HolderKind } from './folder-lock.ts';
export {
  keepSecrets,
  folderOf,
  readState,
  writeState,
  type KeptSecrets,
  type KeptState,
  type RunningState,
} from './kept-state.ts';
export { awaitOrphans } from './orphans.ts';
export { openFolder } from './open-folder.ts';
export { processStartTime, killProcess } from './processes.ts';
