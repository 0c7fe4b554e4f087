/** Options that are a number of something. */
import * as v from 'valibot';

/** A whole number from `min` to `max`; `unit` names what it counts (`seconds`). */
export function wholeBetween(min: number, max: number, unit: string): v.GenericSchema<number> {
  const range = `${min} to ${max} ${unit}`;
  return v.pipe(v.number(), v.integer(`whole ${unit}`), v.minValue(min, range), v.maxValue(max, range));
}
