/** Stories of payments that somebody may make go on otherwise (at a wallet, on a page) while they are being told. */
import type { Deliveries, Message } from './deliveries.ts';
import type { AmountRule } from './test-cards.ts';

/** One message of a story; it comes a sandbox delay after the one before. */
export interface Told extends Pick<Message, 'name' | 'request' | 'acknowledged'> {
  /** What changes at the provider the moment that it is first sent. */
  readonly happens: () => void;
}

/**
 * Plays a story about a subject, whose `story` counts them: a new one silences what the one before has not told yet.
 * As `Deliveries.play`, but `.56` tells the end of the story first, and then all that came before it.
 */
export function playStory(
  deliveries: Deliveries,
  subject: { story: number },
  told: readonly Told[],
  rule?: AmountRule,
): Promise<void> {
  subject.story += 1;
  const { story } = subject;
  const ordered = rule === '.56' ? [...told.slice(-1), ...told.slice(0, -1)] : told;
  const messages = ordered.map(({ happens, request, ...rest }, index): Message => {
    let goesOn: boolean | undefined;
    return {
      ...rest,
      after: index + 1,
      request(sending) {
        if (goesOn === undefined) {
          goesOn = subject.story === story;
          if (goesOn) happens();
        }
        return goesOn ? request(sending) : undefined;
      },
    };
  });
  return deliveries.play(messages, rule === '.56' ? undefined : rule);
}
