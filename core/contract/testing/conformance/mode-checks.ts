/**
 * Checks that the samples compare `mode`. Core ignores an event of the other side, and no change to a message shows
 * whether the adapter reads its side correctly: only the author knows which side a sample comes from.
 */
import { isObject } from '../difference.ts';
import { playGood } from './answer-classes.ts';
import { demand, skip, type Check } from './kit.ts';
import type { Subject } from './subject.ts';

interface Source {
  readonly name: string;
  readonly isCompared: boolean;
  readonly namesMode: () => Promise<boolean>;
}

export function modeChecks<Options>(subject: Subject<Options>): Check[] {
  return [
    {
      rule: 'money',
      title: 'has a sample that compares the `mode` of an event, if events name it',
      async run() {
        let named = 0;
        for (const { name, isCompared, namesMode } of sourcesOf(subject)) {
          if (!isCompared && !(await namesMode())) continue;
          named += 1;
          demand(
            isCompared,
            `events of ${name} name a \`mode\`, and no vector compares it`,
            'name `mode` (`live` or `test`) in an event that a vector expects, so that a wrong or missing side is seen',
          );
        }
        if (named === 0) skip('no event of the samples names a `mode`');
      },
    },
  ];
}

function sourcesOf<O>(subject: Subject<O>): Source[] {
  const { adapter, goodCallbacks } = subject;
  const routes = [...new Set(goodCallbacks.map(({ routeName }) => routeName))].map((name): Source => {
    const goods = goodCallbacks.filter(({ routeName }) => routeName === name);
    const namesMode = async (): Promise<boolean> => {
      for (const good of goods) if (hasMode((await subject.deliver(good))?.events)) return true;
      return false;
    };
    return { name, isCompared: goods.some(({ vector }) => hasMode(vector.expect.events)), namesMode };
  });
  if (!adapter.fetchStatus) return routes;
  const fetches = subject.answered('fetchStatus');
  const namesMode = async (): Promise<boolean> => {
    for (const vector of fetches) if (hasMode((await playGood(subject, vector)).result.events)) return true;
    return false;
  };
  const isCompared = fetches.some(({ expect }) => hasMode(expect['events']));
  return [...routes, { name: 'fetchStatus', isCompared, namesMode }];
}

function hasMode(events: unknown): boolean {
  return Array.isArray(events) && events.some((event) => isObject(event) && event['mode'] !== undefined);
}
