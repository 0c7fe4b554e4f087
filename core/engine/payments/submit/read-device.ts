/** Reads device, browser and operating system from a user agent, for the payment request's members of these names. */
import bowser from 'bowser';

export interface Device {
  readonly device: string | null;
  readonly browser: string | null;
  readonly osName: string | null;
}

export function readDevice(userAgent: string | undefined): Device {
  if (!userAgent) return { device: null, browser: null, osName: null };
  const { platform, browser, os } = bowser.parse(userAgent);
  return { device: platform.type || null, browser: browser.name || null, osName: os.name || null };
}
