/** Small drawings next to texts. They add no information to the texts. */
import { html, type SafeHtml } from '@remix-run/html-template';

/** Lines on a grid of 24 by 24. */
const lines = {
  card: 'M3 6.5h18v11H3zM3 10h18M6 14.5h4',
  phone: 'M8 2.5h8a1 1 0 0 1 1 1v17a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1v-17a1 1 0 0 1 1-1zM11 18.5h2',
  code: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2.5v2.5H14zM20 14v2.5M20 20h-2.5M14 20h1',
  at: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM16 12v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.6 7.2',
  wallet: 'M4 7.5h14a2 2 0 0 1 2 2V18a2 2 0 0 1-2 2H5.5A2.5 2.5 0 0 1 3 17.5V6.5A2.5 2.5 0 0 1 5.5 4H16M16 13.75h.5',
  bank: 'M3 10l9-6 9 6zM6 10v8M10 10v8M14 10v8M18 10v8M3 20.5h18',
  coin: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5l3.5 4.5-3.5 4.5L8.5 12z',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5V12l3 2',
  back: 'M9 14L4 9l5-5M4 9h10a5.5 5.5 0 0 1 0 11h-3',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3.5 9h17M3.5 15h17M12 3c-5 5-5 13 0 18c5-5 5-13 0-18',
  alert: 'M12 9v4.5M12 16.75v.25M12 3.5L2.5 20h19z',
} as const;
export type IconName = keyof typeof lines;

export function icon(name: IconName): SafeHtml {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d="${lines[name]}" />
  </svg>`;
}
