/**
 * Tables of a body's fields: what reads a body and what describes it in the OpenAPI document are both made from them.
 * Lengths count characters as Unicode does (code points), so a letter outside the basic plane is one; integers are
 * bounded by value.
 */

interface Common {
  /** What the field is for: its description in the OpenAPI document. */
  readonly note: string;
  readonly required?: true;
  /** null is taken, and means the same as an absent field: no value. */
  readonly nullable?: true;
  /** Never repeated in an answer. */
  readonly hidden?: true;
}

export interface TextBounds extends Common {
  /** `email`: an address in form; `url`: http or https; `time`: a day or time of ISO 8601, checked by its reader. */
  readonly type: 'text' | 'email' | 'url' | 'time';
  readonly min?: number;
  readonly max?: number;
  /** `free`: text of people, in which a card number is masked; `own`: a key of the merchant's, kept as given. */
  readonly text?: 'free' | 'own';
}

export interface IntegerBounds extends Common {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
}

/** A JSON number of at most 15 significant digits, 0 or more; read into plain decimal text. */
export interface AmountBounds extends Common {
  readonly type: 'amount';
  /** 0 is refused. */
  readonly positive?: true;
}

export interface BooleanBounds extends Common {
  readonly type: 'boolean';
}

export interface ObjectBounds extends Common {
  readonly type: 'object';
  readonly fields: FieldTable;
}

export type Bounds = TextBounds | IntegerBounds | AmountBounds | BooleanBounds | ObjectBounds;
export type FieldTable = Readonly<Record<string, Bounds>>;
