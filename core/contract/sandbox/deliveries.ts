/** Sends a sandbox's callbacks: delayed, repeated until acknowledged, and with the faults that the amount asks for. */
import { setMaxListeners } from 'node:events';
import type { CallbackReply, CallbackRequest, DeliveryReport } from './sandbox-contract.ts';
import type { AmountRule } from './test-cards.ts';
import { sendRequest } from './send-request.ts';

/** One sending of a message. */
export interface Sending {
  /** Counts every sending of this message from 1, including the wrongly signed one (`.57`). */
  readonly number: number;
  /** Sign the message with a secret that is not ours (`wrongSecret`). */
  readonly forged: boolean;
}

/** One message of the provider, sent once or several times. */
export interface Message {
  /** What the message says, for reports and logs, such as `CAPTURE:true`. */
  readonly name: string;
  /** The number of sandbox delays until the first sending; 0 sends immediately. */
  readonly after: number;
  /**
   * Builds a new request for each sending, so that times, nonces and signatures are fresh. Undefined: there is nothing
   * left to say, and no further sending follows.
   */
  request(sending: Sending): CallbackRequest | undefined;
  /** Overrides the provider's acknowledgement for this message. */
  readonly acknowledged?: (reply: CallbackReply) => boolean;
}

export interface DeliveryOptions {
  /** One sandbox delay in milliseconds. */
  readonly delayMs: number;
  /** Whether the gateway's answer is the provider's acknowledgement. */
  readonly acknowledged: (reply: CallbackReply) => boolean;
  /**
   * The number of sandbox delays before each repetition of an unacknowledged message: `[1, 1, 1, 1]` means five
   * deliveries in total.
   */
  readonly repeatAfter: readonly number[];
  /** The minimum wait before a repetition, in milliseconds; 0 by default. */
  readonly minRepeatMs?: number;
  /** The time that the gateway has to answer; 10 s by default. */
  readonly timeoutMs?: number;
  /** Observes each sending: pass `setup.onDelivery` here. */
  readonly onDelivery?: ((report: DeliveryReport) => void) | undefined;
}

export interface Deliveries {
  /**
   * Sends messages according to an amount's rule:
   * - `.54`: each message three times;
   * - `.55`: the first message immediately;
   * - `.56`: the first two messages in reverse order;
   * - `.57`: the first message wrongly signed, and then rightly.
   *
   * Each message starts after the one before it has started, and waits for no answer to it. Await the call before you
   * answer: with `.55` it resolves after the first message was sent once (whatever the gateway said), otherwise
   * immediately. It never rejects.
   */
  play(scenario: readonly Message[], rule?: AmountRule): Promise<void>;
  /** Resolves when no message is waiting or in progress. */
  settled(): Promise<void>;
  /** Drops waiting messages, gives messages in progress one second to end, and then cuts them off. */
  close(): Promise<void>;
}

/** The secret that rule `.57` signs with. It equals no secret of any configuration. */
export function wrongSecret(secret: string): string {
  const wrong = secret.startsWith('0') ? '1' : '0';
  return wrong + secret.slice(1);
}

const CLOSE_GRACE_MS = 1000;

/** Makes the sender of a sandbox's callbacks. Close it when the sandbox closes. */
export function createDeliveries(options: DeliveryOptions): Deliveries {
  const { delayMs, repeatAfter, minRepeatMs = 0, timeoutMs = 10_000 } = options;
  const stopping = new AbortController();
  const cutting = new AbortController();
  // Each message that waits or is in progress has a listener, and their number has no limit.
  setMaxListeners(0, stopping.signal, cutting.signal);
  const active = new Set<Promise<void>>();

  async function send(message: Message, sending: Sending): Promise<'acknowledged' | 'refused' | 'nothing'> {
    const started = Date.now();
    let request: CallbackRequest | undefined;
    let reply: CallbackReply | undefined;
    let error: Error | undefined;
    let acknowledged = false;
    try {
      request = message.request(sending);
      if (!request) return 'nothing';
      reply = await sendRequest(request, timeoutMs, cutting.signal);
      acknowledged = !sending.forged && (message.acknowledged ?? options.acknowledged)(reply);
    } catch (caught) {
      error = toError(caught);
      // A missing answer is the gateway's business and is repeated. A message that cannot be made is a fault of the
      // sandbox.
      if (!request) warn(error);
    }
    options.onDelivery?.({
      name: message.name,
      number: sending.number,
      forged: sending.forged,
      acknowledged,
      ...(request ? { request } : {}),
      ...(reply ? { reply } : {}),
      ...(error ? { error } : {}),
      tookMs: Date.now() - started,
    });
    if (!request) return 'nothing';
    return acknowledged ? 'acknowledged' : 'refused';
  }

  async function deliver({ message, copies, forgedFirst, before }: Turn, steps: Steps): Promise<void> {
    // Timers of a busy process may fire in another order than they are due, and what a message reports happens with it.
    await Promise.all([pause(message.after * delayMs, stopping.signal), before]);
    let number = 0;
    const begin = async (forged: boolean): ReturnType<typeof send> => {
      const sending = send(message, { number: ++number, forged });
      steps.begun();
      return sending;
    };
    if (forgedFirst && !stopping.signal.aborted) await begin(true);
    let acknowledged = false;
    for (let sent = 1; !stopping.signal.aborted; sent += 1) {
      const result = await begin(false);
      steps.sentOnce();
      acknowledged ||= result === 'acknowledged';
      if (result === 'nothing') return;
      if (sent < copies) continue;
      const wait = repeatAfter[sent - 1];
      if (acknowledged || wait === undefined) return;
      await pause(Math.max(wait * delayMs, minRepeatMs), stopping.signal);
    }
  }

  function start(turn: Turn): { readonly begun: Promise<void>; readonly sentOnce: Promise<void> } {
    const [begun, sentOnce] = [createSignal(), createSignal()];
    const run = deliver(turn, { begun: begun.give, sentOnce: sentOnce.give })
      .catch(warn)
      .finally(() => {
        begun.give();
        sentOnce.give();
        active.delete(run);
      });
    active.add(run);
    return { begun: begun.given, sentOnce: sentOnce.given };
  }

  return {
    async play(scenario, rule) {
      if (stopping.signal.aborted) return;
      let before = Promise.resolve();
      const started = inOrder(scenario, rule).map((message, at) => {
        const turn = start({
          message,
          copies: rule === '.54' ? 3 : 1,
          forgedFirst: rule === '.57' && at === 0,
          before,
        });
        before = turn.begun;
        return turn;
      });
      if (rule === '.55') await started[0]?.sentOnce;
    },
    async settled() {
      while (active.size > 0) await Promise.all(active);
    },
    async close() {
      stopping.abort();
      const grace = setTimeout(() => cutting.abort(), CLOSE_GRACE_MS);
      await Promise.all(active);
      clearTimeout(grace);
    },
  };
}

function inOrder(scenario: readonly Message[], rule: AmountRule | undefined): readonly Message[] {
  return asRuled(scenario, rule).toSorted((one, other) => one.after - other.after);
}

function asRuled(scenario: readonly Message[], rule: AmountRule | undefined): readonly Message[] {
  const [first, second, ...rest] = scenario;
  if (rule === '.55' && first) return [{ ...first, after: 0 }, ...scenario.slice(1)];
  if (rule === '.56' && first && second) {
    return [{ ...second, after: first.after }, { ...first, after: second.after }, ...rest];
  }
  return scenario;
}

/** One message of a scenario. */
interface Turn {
  readonly message: Message;
  readonly copies: number;
  readonly forgedFirst: boolean;
  /** Resolves after the message before it has started. */
  readonly before: Promise<void>;
}

/** Called while the message is sent. */
interface Steps {
  readonly begun: () => void;
  readonly sentOnce: () => void;
}

function createSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give!: () => void;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}

function warn(error: unknown): void {
  process.emitWarning(toError(error));
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Resolves after the time, or immediately when stopped. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms <= 0) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
