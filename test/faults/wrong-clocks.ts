/** Loaded into each process of the service: sets its clock wrong by the hours that FAULTS_CLOCKS names for its role. */
import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';

const { FAULTS_CLOCKS = '{}', FAULTS_CLOCKS_PROOF: proof } = process.env;
const hours = JSON.parse(FAULTS_CLOCKS) as Readonly<Record<string, number>>;
const role = basename(process.argv[1] ?? '', '.js');
const wrongHours = hours[role] ?? 0;
if (wrongHours) {
  const RightDate = Date;
  const read = (): number => RightDate.now() + wrongHours * 3_600_000;
  globalThis.Date = new Proxy(RightDate, {
    construct: (target, given: unknown[], newTarget): object =>
      Reflect.construct(target, given.length ? given : [read()], newTarget) as object,
    get: (target, member, receiver): unknown => (member === 'now' ? read : Reflect.get(target, member, receiver)),
  });
  // The service reports the database's time, so its output proves nothing about this clock.
  const aheadHours = Math.round((new Date().getTime() - RightDate.now()) / 3_600_000);
  if (proof) appendFileSync(proof, `${role} ${aheadHours}\n`);
}
