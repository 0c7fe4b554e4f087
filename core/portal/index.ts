/** The merchant's portal: its pages and actions, and the log of API calls. */
export type { ApiCall } from './api-log.ts';
export { createPortal, type MerchantPayment, type Portal, type Visitor } from './portal.ts';
