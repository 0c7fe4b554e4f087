/**
 * The toolkit that the providers' sandboxes share, published as `@paywright/contract/sandbox`. Adapters never import
 * it.
 */
export * from './coins.ts';
export * from './deliveries.ts';
export * from './listen.ts';
export * from './test-cards.ts';
export * from './memory.ts';
export * from './pages.ts';
export * from './play-scenario.ts';
export * from './reply.ts';
export * from './router.ts';
export * from './send-on-demand.ts';
export { sendRequest } from './send-request.ts';
export type { CallbackReply, CallbackRequest, DeliveryReport } from './sandbox-contract.ts';
export * from './trigger-route.ts';
