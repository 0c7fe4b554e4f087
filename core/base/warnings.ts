/**
 * A warning about input that the specification allows but that is probably a mistake. The request is accepted, and the
 * response contains the warning.
 */
export interface Warning {
  /** The member of the body, for example `client.name`. */
  readonly field: string;
  /** Never repeats a value that may be a card number or a secret. */
  readonly message: string;
}

export type Warn = (warning: Warning) => void;
