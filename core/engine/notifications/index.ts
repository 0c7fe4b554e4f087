/** The public surface of notifications. */
export { createNotifications } from './notifications.ts';
export type { NotificationConfig, Notifications } from './notifications.ts';
export type { SignedEvent } from './signed-stream.ts';
export { notificationStates } from '../../database/collections/notification.ts';
export {
  createNotificationActs,
  isCutResendCount,
  resendCountText,
  type NotificationActs,
  type ResendFilter,
} from './acts.ts';
export { streamKeepMs, streamOnly, type ListenedEvent } from './stream.ts';
export { createNotificationReads } from './read.ts';
export {
  createNotificationSearch,
  type FoundNotification,
  type NotificationFilter,
  type NotificationSearch,
  type SearchNotifications,
} from './search.ts';
export type { NotificationQuery, NotificationReads, NotificationView, SentNotification } from './read.ts';
export type { Delivered } from './delivery-loop.ts';
export type { DeliverDue } from './delivery-run.ts';
export { createGuard, isPublicAddress, RefusedTarget } from './guard.ts';
export { createEndpointActs, type EndpointActs, type EndpointAddress, type EndpointName } from './endpoint-acts.ts';
export { endpointId, listEndpoints, type Endpoint } from './endpoint.ts';
export { enableEndpoint } from './enable-endpoint.ts';
export type { NewNotification } from './new-notification.ts';
export { readEndpointHealth, type EndpointHealth } from './endpoint-health.ts';
export type { VersionNotice } from './version-notice.ts';
