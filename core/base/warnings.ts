/** What a caller surely did not mean, and the specification lets pass: accepted, and said. */
export interface Warning {
  /** The member of the body, such as `client.name`. */
  readonly field: string;
  /** Never repeats what may be a card number or a secret. */
  readonly message: string;
}

export type Warn = (warning: Warning) => void;
