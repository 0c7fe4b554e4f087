/** The public surface of notifications. */
export { createNotifications } from './notifications.ts';
export type { NotificationConfig, Notifications } from './notifications.ts';
export type { SignedEvent } from './signed-stream.ts';
export { notificationStates } from '../../database/collections/notification.ts';
export {
  createNotificationActions,
  isCutResendCount,
  resendCountText,
  type NotificationActions,
  type ResendFilter,
} from './notification-actions.ts';
export { sentRequest, type SentRequest } from './sent-request.ts';
export { streamKeepMs, streamOnly, type ListenedEvent } from './stream.ts';
export { createNotificationReads } from './read.ts';
export {
  createNotificationFinder,
  createNotificationSearch,
  type FindNotification,
  type FoundNotification,
  type NotificationFilter,
  type NotificationSearch,
  type SearchNotifications,
} from './search.ts';
export type { NotificationQuery, NotificationReads, NotificationView, SentNotification } from './read.ts';
export type { Delivered } from './delivery-loop.ts';
export type { DeliverDue } from './delivery-run.ts';
export { createTargetGuard, isPublicAddress, RefusedTarget } from './target-guard.ts';
export {
  createEndpointActions,
  type EndpointActions,
  type EndpointAddress,
  type EndpointName,
} from './endpoint-actions.ts';
export { endpointId, listEndpoints, type Endpoint } from './endpoint.ts';
export { enableEndpoint } from './enable-endpoint.ts';
export type { NewNotification } from './new-notification.ts';
export { readEndpointHealth, type EndpointHealth } from './endpoint-health.ts';
export type { VersionNotice } from './version-notice.ts';
