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

/** Returns a question with the nearest of the known names. Empty if none is similar, or enough were sought. */
export type Guess = (name: string, known: readonly string[]) => string;

/** A function makes its warning only if the answer has capacity for it: a request may have thousands of mistakes. */
export type Warn = (warning: Warning | ((guess: Guess) => Warning)) => void;
