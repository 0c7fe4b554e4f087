/** Checks routes whose signature covers only a checksum of the body: another body may have the same signature. */
import type { MappedEvent } from '../compare-result.ts';
import { demand, type Check } from './kit.ts';
import type { Subject } from './subject.ts';
import { countChecksums } from './watch.ts';

export function checksumChecks<Options>(subject: Subject<Options>, name: string): Check[] {
  const goods = subject.goodCallbacks.filter(({ routeName }) => routeName === name);
  if (goods[0]?.route.signatureCovers !== 'checksum') {
    return [
      {
        rule: 'proof',
        title: `${name}: signs the content of a callback, or declares that a checksum is signed`,
        async run() {
          for (const good of goods) {
            const checksums = await countChecksums(() => subject.deliver(good));
            demand(
              checksums === 0,
              `"${good.vector.name}" is verified with a CRC-32, and anybody can write another body with the same one`,
              "declare `signatureCovers: 'checksum'` on the route, and set `mustFetch` for each event that moves money",
            );
          }
        },
      },
    ];
  }
  return [
    {
      rule: 'proof',
      title: `${name}: makes core fetch each event that moves money, because only a checksum is signed`,
      async run() {
        for (const good of goods) {
          for (const event of (await subject.deliver(good))?.events ?? []) {
            demand(
              event.mustFetch || !movesMoney(event),
              `"${good.vector.name}" reports ${event.kind} ${event.status} that core believes, and only a checksum of it is signed`,
              'set `mustFetch` for each event that moves money: a forged body can have the same checksum and signature',
            );
          }
        }
      },
    },
  ];
}

/** A payment that is paid or reserved, any refund and any dispute: also a refund that failed would be repeated. */
function movesMoney({ kind, status }: MappedEvent): boolean {
  if (kind === 'payment') return ['authorised', 'succeeded', 'underpaid', 'overpaid', 'late'].includes(status);
  return (kind === 'refund' && status !== 'pending') || kind === 'chargeback';
}
