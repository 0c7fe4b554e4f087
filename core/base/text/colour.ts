/** Contrast of colours by WCAG 2, from 1 (no contrast) to 21. A colour is written `#rrggbb`. */

type Channels = readonly [number, number, number];

/** Minimum contrast between text and its background. */
export const LEAST_CONTRAST = 4.5;

export function isColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

export function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/**
 * Returns the colour if it is readable on the background. Otherwise moves it towards `goal` and returns the first
 * readable colour. `goal` itself must be readable on the background.
 */
export function readableOn(ground: string, colour: string, goal: string): string {
  const [from, to] = [channelsOf(colour), channelsOf(goal)];
  const steps = Array.from({ length: 101 }, (_, at) =>
    toColour(from.map((channel, n) => channel + ((to[n]! - channel) * at) / 100)),
  );
  return steps.find((one) => contrast(one, ground) >= LEAST_CONTRAST) ?? goal;
}

function channelsOf(colour: string): Channels {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Channels;
}

function toColour(channels: readonly number[]): string {
  return `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map(linear) as unknown as Channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
