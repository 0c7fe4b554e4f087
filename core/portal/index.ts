/** The merchant's portal: its links, what it shows and does, the log of calls. */
export { keptPerMinute, type ApiCall } from './api-log.ts';
export {
  createPortalLinkActs,
  createPortalLinks,
  type CreatedPortalLink,
  type PortalLink,
  type PortalLinkActs,
  type PortalLinks,
  type PortalLinkView,
} from './links.ts';
export { createPortal, type Portal, type Visitor } from './portal.ts';
