/** The icon of pages that have no merchant's logo. The payer's part serves it. */
import { createAsset } from './assets.ts';

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#2446c8"/>' +
  '<path d="M5 8h14v9H5zM5 11h14" fill="none" stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/></svg>';

export const icon = createAsset('pay/assets/icon', 'svg', 'image/svg+xml', drawing);
