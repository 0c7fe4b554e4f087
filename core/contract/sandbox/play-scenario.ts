/** Scenarios of payments that somebody may make go on otherwise (at a wallet, on a page) while their callbacks go out. */
import type { Deliveries, Message } from './deliveries.ts';
import type { AmountRule } from './test-cards.ts';

/** One message of a scenario; it comes a sandbox delay after the one before. */
export interface ScenarioMessage extends Pick<Message, 'name' | 'request' | 'acknowledged'> {
  /** What changes at the provider the moment that it is first sent. */
  readonly happens: () => void;
}

/**
 * Plays a scenario about a subject, whose `scenario` counts them: a new one silences what the one before has not
 * reported yet.
 * As `Deliveries.play`, but `.56` reports the end of the scenario first, and then all that came before it.
 */
export function playScenario(
  deliveries: Deliveries,
  subject: { scenario: number },
  reported: readonly ScenarioMessage[],
  rule?: AmountRule,
): Promise<void> {
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
