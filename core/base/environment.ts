/** Test and live never mix: a payment request, a key and a client belong to one of them for good. */
export type Environment = 'test' | 'live';
