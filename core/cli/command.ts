/** The types of a command, and readers of its option values. Each command is a file in commands/. */
import type { KeyEnvironment } from '../engine/access/index.ts';
import { readInstant } from '../base/text/read-time.ts';
import { didYouMean } from '../base/text/nearest.ts';

/** The environment of a command: its input and output. */
export interface Shell {
  readonly env: NodeJS.ProcessEnv;
  /** The gateway's own folder. */
  readonly root: string;
  /** Writes one line of the result to standard output. Control characters in it are escaped. */
  readonly print: (line: string) => void;
  /** Writes text of several lines to standard output. Other control characters in it are escaped. */
  readonly printText: (text: string) => void;
  /** Writes text to standard output whose control characters are already escaped, for example with colours. */
  readonly printEscaped: (text: string) => void;
  /** Writes problems, progress and remarks to standard error. */
  readonly stderr: (line: string) => void;
  /** Asks the user. Absent: there is no terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** The width of the terminal that shows standard output. Absent: a file or another program reads it. */
  readonly columns?: number;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  /** The placeholder of the value in the help, for example `<name>`. */
  readonly value?: string;
  /** The option may be repeated: its values are a list. */
  readonly multiple?: boolean;
  readonly help: string;
}
export type Options = Readonly<Record<string, Option>>;

export type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K]['type'] extends 'boolean'
    ? boolean
    : O[K] extends { readonly multiple: true }
      ? readonly string[]
      : string;
};

/** The entry of a command in the table of commands. */
export interface CommandEntry {
  /** The name as the user types it, for example `keys create`. */
  readonly name: string;
  /** A one-sentence summary without a full stop. */
  readonly summary: string;
  /** The heading of the command in the help of all commands. */
  readonly group?: string;
  /**
   * The operands after the name, for example `<key id>`. An operand in brackets, for example `[text]`, is optional and
   * comes last.
   */
  readonly operands?: readonly string[];
  /** The last operand may be repeated. */
  readonly manyOperands?: boolean;
  /** Imports the file of the command. */
  readonly load: () => Promise<CommandBody>;
}

/** The exports of the file of a command. */
export interface CommandBody<O extends Options = Options> {
  readonly options: O;
  /** Further lines of the help. */
  readonly notes?: readonly string[];
  /** Returns the exit code. Throws a UsageError for wrong usage, or another error whose message is complete. */
  run(input: {
    readonly values: Values<O>;
    readonly operands: readonly string[];
    readonly shell: Shell;
  }): Promise<number>;
}

export type Command = Omit<CommandEntry, 'load'> & CommandBody;

export function defineCommand<const O extends Options>(command: CommandBody<O>): CommandBody {
  return command;
}

/** Wrong usage of a command; the message is one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function required(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new UsageError(`Option --${option} is required.`);
  return value;
}

/** Reads a whole number above 0; undefined if the text is undefined. */
export function readCount(text: string | undefined, what: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${what} must be a whole number above 0.`);
  return Number(text);
}

/** Reads one of the known values; undefined if the text is undefined. */
export function readWord<T extends string>(text: string | undefined, known: readonly T[], what: string): T | undefined {
  if (text === undefined) return undefined;
  const found = known.find((one) => one === text);
  if (found) return found;
  throw new UsageError(`${what} must be one of ${known.join(', ')}${didYouMean(text, known) || '.'}`);
}

/** Reads a time; undefined if the text is undefined. */
export function readTime(text: string | undefined, what: string): Date | undefined {
  if (text === undefined) return undefined;
  const time = readInstant(text);
  if (time) return time;
  throw new UsageError(`${what} must be a time, for example 2026-03-01 or 2026-03-01T12:00:00Z.`);
}

/** Reads the environment: test keys (sandbox) or keys for real money (production). */
export function readKeyEnvironment(text = 'sandbox'): KeyEnvironment {
  if (text === 'sandbox' || text === 'production') return text;
  throw new UsageError('--env must be sandbox or production.');
}

export function readHours(text: string | undefined): { overlapHours?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(text)) throw new UsageError('--overlap-hours must be a number of hours, 0 to 168.');
  return { overlapHours: Number(text) };
}
