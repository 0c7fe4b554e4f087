/** The public surface of notifications. */
export { createNotifications } from './notifications.ts';
export type {
  NewNotification,
  NotificationConfig,
  NotificationQuery,
  Notifications,
  NotificationView,
} from './notifications.ts';
export type { Delivered, DeliverDue } from './drain.ts';
export { createGuard, isPublicAddress, RefusedTarget } from './guard.ts';
export type { VersionNotice } from './version-notice.ts';
