/** What a command of `gateway` is made of. One file each in commands/. */
import type { KeyEnvironment } from '../engine/access/index.ts';
import { didYouMean } from '../base/text/nearest.ts';

/** The world as a command sees it. */
export interface Shell {
  readonly env: NodeJS.ProcessEnv;
  /** The gateway's own folder. */
  readonly root: string;
  /** To standard output: the result. */
  readonly print: (line: string) => void;
  /** To standard error: problems, progress, remarks. */
  readonly stderr: (line: string) => void;
  /** Asks the person at the screen. Absent: nobody is there. */
  readonly ask?: (question: string) => Promise<string>;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  /** Placeholder of the value in the help, such as `<name>`. */
  readonly value?: string;
  readonly help: string;
}
export type Options = Readonly<Record<string, Option>>;

export type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K]['type'] extends 'boolean' ? boolean : string;
};

/** What the table of commands says of one. */
export interface CommandEntry {
  /** As it is typed, such as `keys create`. */
  readonly name: string;
  /** In a sentence without its full stop. */
  readonly summary: string;
  /** What follows the name, such as `<key id>`; one in brackets, such as `[text]`, may be left out, and comes last. */
  readonly operands?: readonly string[];
  /** The last operand may be given several times. */
  readonly manyOperands?: boolean;
  /** Imports the rest. */
  readonly load: () => Promise<CommandBody>;
}

/** What the file of a command says of it. */
export interface CommandBody<O extends Options = Options> {
  readonly options: O;
  /** Further lines of its help. */
  readonly notes?: readonly string[];
  /** Answers the exit code. Throws a UsageError where it is called wrongly, else an error whose message says all. */
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

/** The command was called wrongly; one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function required(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new UsageError(`--${option} is missing: it is required.`);
  return value;
}

/** A whole number above 0, or undefined where there is none. */
export function readCount(text: string | undefined, what: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${what} must be a whole number above 0.`);
  return Number(text);
}

/** One of the words that are known, or undefined where there is none. */
export function readWord<T extends string>(text: string | undefined, known: readonly T[], what: string): T | undefined {
  if (text === undefined) return undefined;
  const found = known.find((one) => one === text);
  if (found) return found;
  throw new UsageError(`${what} must be one of ${known.join(', ')}${didYouMean(text, known) || '.'}`);
}

/** A moment, or undefined where there is none. */
export function readTime(text: string | undefined, what: string): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\d(T.*)?$/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new UsageError(`${what} must be a time such as 2026-03-01 or 2026-03-01T12:00:00Z.`);
}

/** A key for tests, or one for real money. */
export function readKeyEnvironment(text = 'sandbox'): KeyEnvironment {
  if (text === 'sandbox' || text === 'production') return text;
  throw new UsageError('--env must be sandbox or production.');
}

export function readHours(text: string | undefined): { overlapHours?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(text)) throw new UsageError('--overlap-hours must be a number of hours, 0 to 168.');
  return { overlapHours: Number(text) };
}
