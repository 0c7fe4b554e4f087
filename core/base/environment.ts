/** A payment request, a key and a client belong to one environment permanently. Test and live never mix. */
export type Environment = 'test' | 'live';
