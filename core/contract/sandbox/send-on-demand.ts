/** Sends the callbacks of a sandbox's `trigger`. */
import type { CallbackReply, Trigger } from './sandbox-contract.ts';
import type { Message } from './deliveries.ts';
import { sendRequest } from './send-request.ts';

/**
 * Sends a message now, once per `times`, one after the other, and returns the gateway's answers. Rejects if there is no
 * answer.
 */
export async function sendOnDemand(
  { request }: Pick<Message, 'request'>,
  { times, forge }: Pick<Trigger, 'times' | 'forge'>,
  timeoutMs = 10_000,
): Promise<CallbackReply[]> {
  const replies: CallbackReply[] = [];
  for (let number = 1; number <= times; number += 1) {
    const made = request({ number, forged: forge });
    if (made) replies.push(await sendRequest(made, timeoutMs));
  }
  return replies;
}
