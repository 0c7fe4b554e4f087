/**
 * Warnings about input that the caller surely did not intend but that the specification allows: the request is
 * accepted, and the response contains the warning.
 */
export interface Warning {
  /** The member of the body, for example `client.name`. */
  readonly field: string;
  /** Never repeats a value that may be a card number or a secret. */
  readonly message: string;
}

export type Warn = (warning: Warning) => void;
