/** The merchant's portal: its links, its pages and actions, and the log of API calls. */
export { keptPerMinute, type ApiCall } from './api-log.ts';
export {
  createPortalLinkActions,
  createPortalLinks,
  type CreatedPortalLink,
  type PortalLink,
  type PortalLinkActions,
  type PortalLinks,
  type PortalLinkView,
} from './links.ts';
export { createPortal, type Portal, type Visitor } from './portal.ts';
