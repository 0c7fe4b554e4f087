/** What does not fit between the hosts of one database. */
import type { Host } from '../../../core/database/collections/host.ts';

/** A clock may be wrong by so much: what providers sign, and what expires, is judged by it. */
const maxClockOffMs = 5000;

/** Why a host must not serve. */
export interface HostProblem {
  /** Of the alarm that it raises; undefined: another host is right, and raises none. */
  readonly kind?: 'clock_skew' | 'key_unknown';
  /** A sentence for its operator. */
  readonly text: string;
}

/** Why this host must not serve. Of two that contradict each other, it is the one that began later. */
export function judgeHost(host: Host, others: readonly Host[], clockOffMs: number): HostProblem[] {
  const problems: HostProblem[] = [];
  if (Math.abs(clockOffMs) > maxClockOffMs) {
    const [seconds, how] = [Math.round(Math.abs(clockOffMs) / 1000), clockOffMs > 0 ? 'ahead of' : 'behind'];
    problems.push({
      kind: 'clock_skew',
      text: `The clock of this host is ${seconds} s ${how} the database's: set it right, and keep it so with NTP.`,
    });
  }
  const contradicted = others.find((other) => isOlder(other, host) && !acceptEachOther(host, other));
  if (contradicted) {
    problems.push({
      text: `The 3D Secure secrets differ from those of host ${contradicted.hostname}: threeDs.tokenSecrets (GATEWAY_3DS_TOKEN_SECRET) must hold on every host the secret that each of them signs with.`,
    });
  }
  return problems;
}

/** What one signs, the other takes. */
function acceptEachOther(one: Host, other: Host): boolean {
  const [[signsOne = ''], [signsOther = '']] = [one.tokenSecrets, other.tokenSecrets];
  return other.tokenSecrets.includes(signsOne) && one.tokenSecrets.includes(signsOther);
}

function isOlder(one: Host, other: Host): boolean {
  const apartMs = one.startedAt.getTime() - other.startedAt.getTime();
  return apartMs < 0 || (apartMs === 0 && one._id < other._id);
}

/** The adapters that run in several versions, with who runs which. */
export function differingAdapters(hosts: readonly Host[]): Map<string, string> {
  const versions = new Map<string, Map<string, string[]>>();
  for (const { hostname, adapters } of hosts) {
    for (const { name, version } of adapters) {
      const ofAdapter = versions.get(name) ?? new Map<string, string[]>();
      versions.set(name, ofAdapter.set(version, [...(ofAdapter.get(version) ?? []), hostname]));
    }
  }
  const differing = [...versions].filter(([, ofAdapter]) => ofAdapter.size > 1);
  return new Map(
    differing.map(([name, ofAdapter]) => {
      const each = [...ofAdapter]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([version, hostnames]) => `${version} on ${hostnames.join(', ')}`);
      return [name, `${name} runs in several versions: ${each.join('; ')}`];
    }),
  );
}
