/** Parses and formats a line of the log. */
import { escapeControls } from '../../base/text/escape-controls.ts';
import { seriesOf } from '../../../workers/supervisor/processes/process-names.ts';

export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Level = (typeof levels)[number];

export type LogLine = Readonly<Record<string, unknown>>;

/** Undefined if the text is not a line of our log. */
export function readLogLine(text: string): LogLine | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as LogLine) : undefined;
  } catch {
    return undefined;
  }
}

/** The other lines of the same request are about its payment too. */
const knownRequests = 1000;

/** True for lines about a payment, and for lines of requests that one of its lines has named. */
export function aboutPayment(id: number): (line: LogLine) => boolean {
  const requests = new Set<unknown>();
  return (line) => {
    const { paymentRequestId, subject, requestId } = line;
    const named = [String(paymentRequestId), subjectText(subject)];
    const isAbout = named.includes(String(id)) || named.includes(`payment ${id}`);
    if (isAbout && requestId !== undefined && requests.size < knownRequests) requests.add(requestId);
    return isAbout || requests.has(requestId);
  };
}

function subjectText(subject: unknown): string {
  if (typeof subject === 'string') return subject;
  const { type, id } = (subject ?? {}) as { readonly type?: unknown; readonly id?: unknown };
  return `${String(type)} ${String(id)}`;
}

export function isAtLeast(line: LogLine, level: Level): boolean {
  const found = levels.findIndex((one) => one === line['level']);
  return found < 0 || found >= levels.indexOf(level);
}

/** Terminal colours. */
const colours: Readonly<Record<string, string>> = { warn: '33', error: '31', fatal: '31;1', debug: '90', trace: '90' };

/**
 * Formats the line as text: time, level, process and message, then the named members; the stack of an error follows
 * below.
 */
export function describeLogLine(line: LogLine, hasColours = false): string {
  const { level, time, process, pid: _pid, msg, err, ...rest } = line;
  const paint = (text: string, colour: string | undefined): string =>
    hasColours && colour ? `\u001B[${colour}m${text}\u001B[0m` : text;
  const word = plain(level);
  const named = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => `${escapeControls(name)}=${valueText(value)}`);
  const head = [
    plain(time),
    paint(word.toUpperCase().padEnd(5), colours[word]),
    seriesOf(plain(process)).padEnd(10),
    paint(plain(msg), colours[word]),
    ...(named.length > 0 ? [paint(named.join(' '), '90')] : []),
  ].join('  ');
  return [head, ...errorLines(err)].join('\n');
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return '';
  return escapeControls(typeof value === 'string' ? value : JSON.stringify(value));
}

function valueText(value: unknown): string {
  return escapeControls(typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value));
}

function errorLines(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return err === undefined ? [] : [`    ${plain(err)}`];
  const { type, message, stack, code, cause } = err as Readonly<Record<string, unknown>>;
  const named = code === undefined ? '' : ` (${plain(code)})`;
  const text = typeof stack === 'string' ? stack : `${plain(type)}: ${plain(message)}`;
  return [...`${text}${named}`.split('\n').map((one) => `    ${escapeControls(one.trim())}`), ...errorLines(cause)];
}
