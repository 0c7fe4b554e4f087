export { chooseFreePort, isPortFree } from './choose-port.ts';
export { findMongod } from './find-mongod.ts';
export type { FindOptions, FoundMongod } from './find-mongod.ts';
export { MongodError } from './mongod-error.ts';
export { startMongod } from './start-mongod.ts';
export type { RunningMongod, StartOptions } from './start-mongod.ts';
