/** Receives notifications in Express, Koa, Fastify, Next.js and other runtimes. */
export { createReceiver, type ReceivedStatus, type Receiver, type ReceiverOptions } from './receive.ts';
export { toExpress, toFastify, toFetchHandler, toKoa } from './frameworks.ts';
export type { FastifyInstance, KoaContext, NodeRequest, NodeResponse } from './frameworks.ts';
