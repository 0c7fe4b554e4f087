/** Finds incompatibilities between the hosts of one database. */
import type { Host } from '../../../core/database/collections/host.ts';

/** Maximum error of a clock. The clock decides about signatures of providers and about expiry. */
const maxClockOffMs = 5000;

/** Why a host is fenced. */
export interface HostProblem {
  /** Kind of the alarm that it raises. Undefined: it raises no alarm, because the other host is right. */
  readonly kind?: 'clock_skew' | 'key_unknown';
  /** One sentence for the operator. */
  readonly text: string;
}

/** Returns why this host is fenced. Of two hosts that contradict each other, the host that started later is fenced. */
export function judgeHost(host: Host, others: readonly Host[], clockOffMs: number): HostProblem[] {
  const problems: HostProblem[] = [];
  if (Math.abs(clockOffMs) > maxClockOffMs) {
    const [seconds, how] = [Math.round(Math.abs(clockOffMs) / 1000), clockOffMs > 0 ? 'ahead of' : 'behind'];
    problems.push({
      kind: 'clock_skew',
      text: `The clock of this host is ${seconds} s ${how} the database's: correct it, and keep it correct with NTP.`,
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

/** Each host accepts what the other one signs. */
function acceptEachOther(one: Host, other: Host): boolean {
  const [[signsOne = ''], [signsOther = '']] = [one.tokenSecrets, other.tokenSecrets];
  return other.tokenSecrets.includes(signsOne) && one.tokenSecrets.includes(signsOther);
}

function isOlder(one: Host, other: Host): boolean {
  const apartMs = one.startedAt.getTime() - other.startedAt.getTime();
  return apartMs < 0 || (apartMs === 0 && one._id < other._id);
}

/** The adapters that run in several versions, with the hosts of each version. */
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
