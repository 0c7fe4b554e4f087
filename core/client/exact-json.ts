/**
 * JSON whose amounts are numbers on the wire and decimal text here. They are rewritten in the JSON text itself, so that
 * no amount passes through a float.
 */
import { amountMembers } from './generated/calls.ts';

// Both patterns consume whole strings, so text inside a string that looks like a member is not found. A string before a
// colon is a name.
const numberMember = /"((?:[^"\\]|\\.)*)(?:"|\\?$)(?:(\s*:\s*)(-?\d[\d.eE+-]*))?/gs;
const decimalMember = /"((?:[^"\\]|\\.)*)(?:"|\\?$)(?::"((?:0|[1-9]\d*)(?:\.\d+)?)")?/gs;

/** Throws a SyntaxError if the text is not JSON. */
export function readExact(text: string): unknown {
  return JSON.parse(
    text.replace(numberMember, (found, name: string, colon: string, number?: string) =>
      number !== undefined && amountMembers.has(name) ? `"${name}"${colon}"${number}"` : found,
    ),
  );
}

/** An amount that is not a plain decimal stays text, and the gateway refuses it. */
export function writeExact(value: object): string {
  return JSON.stringify(value).replace(decimalMember, (found, name: string, decimal?: string) =>
    decimal !== undefined && amountMembers.has(name) ? `"${name}":${decimal}` : found,
  );
}
