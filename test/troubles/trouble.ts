/**
 * One trouble of a running gateway: how it comes about by public means, and how an operator finds and fixes it, with
 * the console alone and with commands alone.
 */
import { expect } from 'chai';
import type { Desk } from './desk.ts';
import type { World } from './world.ts';

export const maxClicks = 4;
export const maxCommands = 2;

/** Runs `paywright <words>` and counts it. Returns what was printed. */
export type Command = (words: readonly string[], exitCode?: number) => Promise<string>;

export interface Trouble {
  readonly name: string;
  readonly plant: (world: World) => Promise<Planted>;
}

/** Both ways assert the text that proves the trouble, and the effect of the fix. */
export interface Planted {
  readonly byConsole: (desk: Desk) => Promise<void>;
  readonly byCommands: (command: Command) => Promise<void>;
}

export function countCommands(world: World): { readonly command: Command; readonly count: () => number } {
  let count = 0;
  return {
    count: () => count,
    command: async (words, exitCode = 0) => {
      count += 1;
      const text = words.join(' ');
      if (count > maxCommands) throw new Error(`needs more than ${maxCommands} commands: "${text}" is the next one`);
      const { code, out, problems } = await world.run(...words);
      expect(code, `paywright ${text}: ${problems.join('\n')}\n${out}`).to.equal(exitCode);
      return out;
    },
  };
}
