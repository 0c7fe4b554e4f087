/** Plays scenarios of payments that may change (at a wallet, on a page) while their callbacks are being sent. */
import type { Deliveries, Message } from './deliveries.ts';
import type { AmountRule } from './test-cards.ts';

/** One message of a scenario. It is sent one sandbox delay after the one before. */
export interface ScenarioMessage extends Pick<Message, 'name' | 'request' | 'acknowledged'> {
  /** The change at the provider at the moment of the first sending. */
  readonly happens: () => void;
}

/**
 * Plays a scenario about a subject, whose `scenario` counts its scenarios: a new scenario silences what the previous
 * one has not reported yet. Like `Deliveries.play`, except that `.56` reports the end of the scenario first, and then
 * everything that came before it. An empty scenario does nothing and leaves the previous one running.
 */
export function playScenario(
  deliveries: Deliveries,
  subject: { scenario: number },
  reported: readonly ScenarioMessage[],
  rule?: AmountRule,
): Promise<void> {
  if (reported.length === 0) return Promise.resolve();
  subject.scenario += 1;
  const { scenario } = subject;
  const ordered = rule === '.56' ? [...reported.slice(-1), ...reported.slice(0, -1)] : reported;
  const messages = ordered.map(({ happens, request, ...rest }, index): Message => {
    let goesOn: boolean | undefined;
    return {
      ...rest,
      after: index + 1,
      request(sending) {
        if (goesOn === undefined) {
          goesOn = subject.scenario === scenario;
          if (goesOn) happens();
        }
        return goesOn ? request(sending) : undefined;
      },
    };
  });
  return deliveries.play(messages, rule === '.56' ? undefined : rule);
}
