/** Test and live never mix: a payment request, a key and a client belong to one environment permanently. */
export type Environment = 'test' | 'live';
