/** The icon of pages that have no merchant's logo. */
import { createAsset, type Asset } from './assets.ts';

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#2446c8"/>' +
  '<path d="M5 8h14v9H5zM5 11h14" fill="none" stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/></svg>';

/** `folder` is relative to the root of the listener. */
export function iconIn(folder: string): Asset {
  return createAsset(`${folder}/icon`, 'svg', 'image/svg+xml', drawing);
}

export const icon = iconIn('pay/assets');
