/** Makes copies of a stored document for other payments, in any number and fast. */
import { mongo } from 'mongoose';

type Document = mongo.BSON.Document;

/** The payment for which a copy is made. */
export interface Copied {
  readonly id: number;
  readonly clientId: number;
  readonly email: string;
  readonly referenceId: string;
  /** Time shift from the template. */
  readonly laterMs: number;
}

export type Names = Omit<Copied, 'laterMs'>;

export type Copier = (copied: Copied) => Document;
type Copy = (copied: Copied) => unknown;

/** Shifts every time, and replaces every id, e-mail and reference of the template, also inside texts. */
export function copierOf(template: Document, names: Names): Copier {
  return compile(template, names) as Copier;
}

function compile(value: unknown, names: Names): Copy {
  if (value instanceof Date) return ({ laterMs }) => new Date(value.getTime() + laterMs);
  if (value === names.id) return ({ id }) => id;
  if (value === names.clientId) return ({ clientId }) => clientId;
  if (typeof value === 'string') return compileText(value, names);
  if (Array.isArray(value)) {
    const items = value.map((item) => compile(item, names));
    return (copied) => items.map((item) => item(copied));
  }
  if (isPlain(value)) {
    const members = Object.entries(value).map(([name, member]) => [name, compile(member, names)] as const);
    return (copied) => {
      const document: Document = {};
      for (const [name, member] of members) document[name] = member(copied);
      return document;
    };
  }
  return () => value;
}

const textNames = ['clientId', 'id', 'email', 'referenceId'] as const;

/** Splits the text once at the parts to be replaced: every second piece is one. */
function compileText(text: string, names: Names): Copy {
  const nameOf = new Map(textNames.map((name) => [String(names[name]), name]));
  const pieces = text.split(new RegExp(`(${[...nameOf.keys()].map(escapeForm).join('|')})`));
  if (pieces.length === 1) return () => text;
  return (copied) => pieces.map((piece, at) => (at % 2 ? copied[nameOf.get(piece)!] : piece)).join('');
}

function escapeForm(text: string): string {
  return text.replace(/[.+*?^$()[\]{}|\\]/g, String.raw`\$&`);
}

function isPlain(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
