/** What the callbacks domain offers to `http` and `workers`. */
import type { Acknowledgement, RawCallback } from '@gateway/contract';

export interface Callbacks {
  /**
   * Receives one callback: proves, parses, stores durably, and says what to answer. Undefined: no adapter that is on or
   * draining has this route. Never throws for what a sender may do; a database that is away answers `try_later`.
   */
  receive(path: string, raw: RawCallback, requestId: string): Promise<Acknowledgement | undefined>;
}
