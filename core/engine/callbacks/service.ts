/** What the callbacks domain offers to `http` and to the workers' jobs. */
import type { Acknowledgement, RawCallback } from '@paywright/contract';

/** Why the body of a callback was not read. */
export type WhyUnread = 'too_large' | 'no_capacity' | 'no_database' | 'host_fenced';

/** A callback before its body is read. */
export type CallbackHead = Omit<RawCallback, 'body'>;

/** Whether the body of a callback is read, how many bytes it may have, and whether its sender is unknown to us. */
export type Admission =
  { readonly maxBodyBytes: number; readonly isStranger: boolean } | { readonly refusal: Acknowledgement };

export interface Callbacks {
  /**
   * Checks a callback before its body is read: its network, and how many callbacks its address has sent without a
   * genuine one. Undefined: no adapter that is on or draining has this route.
   */
  admit(path: string, head: CallbackHead, requestId: string): Promise<Admission | undefined>;
  /**
   * Receives one callback that was admitted: verifies, parses and stores it durably, and returns the answer. Undefined:
   * no adapter that is on or draining has this route. Never throws for anything that a sender may do. If the database
   * does not answer, the answer is `try_later`.
   */
  receive(path: string, raw: RawCallback, requestId: string): Promise<Acknowledgement | undefined>;
  /**
   * Answers a callback whose body was not read. If the body is larger than the route accepts, the answer is the route's
   * answer to a malformed callback. If there is no capacity or no database, the answer is *try later*. Undefined as for
   * `admit`.
   */
  refuse(path: string, head: CallbackHead, requestId: string, why: WhyUnread): Acknowledgement | undefined;
  /** Applies one batch: claims up to `limit` due rows and applies them. Returns how many rows it claimed. */
  drain(limit: number): Promise<number>;
  /** A ping may be due: the next batch polls for pings, which it does only now and then while there are callbacks. */
  lookForPings(): void;
  /**
   * When the next row is due or the next lease expires; may be in the past. Undefined: no row waits, or nothing has
   * changed since the last call.
   */
  nextDueAt(): Promise<Date | undefined>;
  /** Makes the rows that a dead worker held due immediately. Returns how many rows. */
  releaseWorker(worker: string): Promise<number>;
  /** Writes the latest refused callbacks to their list. */
  close(): Promise<void>;
}
