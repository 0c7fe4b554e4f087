/** What the callbacks domain offers to `http` and to the workers' jobs. */
import type { Acknowledgement, RawCallback } from '@paywright/contract';

/** Why the body of a callback was not read. */
export type WhyUnread = 'too_large' | 'no_room' | 'no_database' | 'host_held';

/** A callback before its body is read. */
export type CallbackHead = Omit<RawCallback, 'body'>;

/** Whether the body of a callback is read: it may be so large, in bytes, and its sender may be nobody we know. */
export type Admission =
  { readonly maxBodyBytes: number; readonly isStranger: boolean } | { readonly refusal: Acknowledgement };

export interface Callbacks {
  /**
   * Judges a callback before its body is read: its network, and how many its address has sent that never proved one.
   * Undefined: no adapter that is on or draining has this route.
   */
  admit(path: string, head: CallbackHead, requestId: string): Promise<Admission | undefined>;
  /**
   * Receives one callback that was admitted: verifies, parses, stores durably, and says what to answer. Undefined: no adapter that is on
   * or draining has this route. Never throws for what a sender may do; a database that is away answers `try_later`.
   */
  receive(path: string, raw: RawCallback, requestId: string): Promise<Acknowledgement | undefined>;
  /**
   * Answers a callback whose body was not read: as its route answers what is malformed where the body is larger than it
   * takes, *try later* where there is no room for it now, or no database. Undefined as of `admit`.
   */
  refuse(path: string, head: CallbackHead, requestId: string, why: WhyUnread): Acknowledgement | undefined;
  /** One batch: claims up to `limit` rows that are due and applies them; gives how many it claimed. */
  drain(limit: number): Promise<number>;
  /** A ping may be due: the next batch looks for pings, which it does only now and then while there are callbacks. */
  lookForPings(): void;
  /**
   * When the next row is due, or the next lease ends; may be past. Undefined: none waits, or since it was last said nothing
   * was found that changes it.
   */
  nextDueAt(): Promise<Date | undefined>;
  /** Makes what a dead worker held due at once. Gives how many rows. */
  releaseWorker(worker: string): Promise<number>;
}
