/**
 * Tables of the fields of a body. The reader of a body and its description in the OpenAPI document are both made from
 * them. Lengths count Unicode code points, so a letter outside the basic plane counts as one. Integers are bounded by
 * their value.
 */

interface Common {
  /** The purpose of the field: its description in the OpenAPI document. */
  readonly note: string;
  readonly required?: true;
  /** null is accepted, and means the same as an absent field: no value. */
  readonly nullable?: true;
  /** The value is never repeated in an answer. */
  readonly hidden?: true;
}

export interface TextBounds extends Common {
  /**
   * `email`: a well-formed address; `url`: http or https; `time`: a day or time of ISO 8601, which the caller's reader
   * checks.
   */
  readonly type: 'text' | 'email' | 'url' | 'time';
  readonly min?: number;
  readonly max?: number;
  /**
   * `free`: text written by people, in which a card number is masked. `own`: an identifier of the merchant's, stored as
   * given.
   */
  readonly text?: 'free' | 'own';
}

export interface IntegerBounds extends Common {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
}

/** A JSON number with at most 15 significant digits, 0 or more. It is read into plain decimal text. */
export interface AmountBounds extends Common {
  readonly type: 'amount';
  /** The value 0 is refused. */
  readonly positive?: true;
}

export interface BooleanBounds extends Common {
  readonly type: 'boolean';
}

export interface ObjectBounds extends Common {
  readonly type: 'object';
  /** The name of its schema in the OpenAPI document. */
  readonly schema: string;
  readonly fields: FieldTable;
}

export type Bounds = TextBounds | IntegerBounds | AmountBounds | BooleanBounds | ObjectBounds;
export type FieldTable = Readonly<Record<string, Bounds>>;
