/** Loaded into each process of the service: its clock is wrong by the hours that FAULTS_CLOCKS names for its role. */
import { basename } from 'node:path';

const hours = JSON.parse(process.env['FAULTS_CLOCKS'] ?? '{}') as Readonly<Record<string, number>>;
const wrongHours = hours[basename(process.argv[1] ?? '', '.js')] ?? 0;
if (wrongHours) {
  const RightDate = Date;
  const read = (): number => RightDate.now() + wrongHours * 3_600_000;
  globalThis.Date = new Proxy(RightDate, {
    construct: (target, given: unknown[], newTarget): object =>
      Reflect.construct(target, given.length ? given : [read()], newTarget) as object,
    get: (target, member, receiver): unknown => (member === 'now' ? read : Reflect.get(target, member, receiver)),
  });
}
