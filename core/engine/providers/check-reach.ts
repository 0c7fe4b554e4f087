/**
 * Checks whether the addresses of a provider can be reached from this machine, and whether its clock agrees with ours.
 */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { readHttpDate } from '../../base/text/read-time.ts';
import { baseUrlOf } from './adapter-context.ts';
import { hostProblem } from './host-check.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';

export interface Finding {
  /** `unchecked`: the check is not possible, which says neither yes nor no. */
  readonly state: 'ok' | 'warn' | 'wrong' | 'unchecked';
  readonly part: FindingPart;
  readonly text: string;
}

/** The part of an adapter that a finding is about. */
export type FindingPart = 'settings' | 'connection' | 'clock' | 'credentials' | 'callbacks';

const limitMs = 3000;
/** Providers accept signatures for about five minutes. A wrong clock makes all of them invalid. */
const clockLimitMs = 60_000;

/**
 * Opens a connection to the address of each side, and reads the server's clock from the Date header of a plain request.
 */
export async function checkReach(active: ActiveAdapter, sides: readonly boolean[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const sandbox of sides) findings.push(...(await checkAddress(active.ref, baseUrlOf(active, sandbox))));
  return findings;
}

async function checkAddress(name: string, address: string): Promise<readonly Finding[]> {
  const part = 'connection';
  const unresolved = await hostProblem(address);
  if (unresolved) {
    const cure = "correct the address, or this machine's name server";
    return [{ state: 'warn', part, text: `${name}: ${address}: ${unresolved}: ${cure}` }];
  }
  const problem = await canConnect(new URL(address));
  if (problem) return [{ state: 'wrong', part, text: `${name}: ${address} cannot be reached: ${problem}` }];
  const clock = clockFinding(name, await clockSkewMs(address));
  return [{ state: 'ok', part, text: `${name}: ${address} can be reached` }, clock];
}

function clockFinding(name: string, skewMs: number | undefined): Finding {
  const part = 'clock';
  if (skewMs === undefined)
    return { state: 'unchecked', part, text: `${name}: the clock is not checked: the provider's server sends no time` };
  const seconds = `${Math.round(skewMs / 1000)} s`;
  if (Math.abs(skewMs) > clockLimitMs)
    return { state: 'wrong', part, text: `${name}: its clock differs by ${seconds}: set this machine's clock` };
  return { state: 'ok', part, text: `${name}: its clock differs by ${seconds}` };
}

async function canConnect({ protocol, hostname, port }: URL): Promise<string | undefined> {
  const isTls = protocol === 'https:';
  const target = { host: hostname, port: Number(port) || (isTls ? 443 : 80), servername: hostname };
  return new Promise((resolve) => {
    const socket = isTls ? connectTls(target) : connect(target);
    const end = (problem?: string): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(limitMs, () => end(`no answer within ${limitMs / 1000} s`));
    socket.once(isTls ? 'secureConnect' : 'connect', () => end());
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

async function clockSkewMs(address: string): Promise<number | undefined> {
  try {
    const response = await fetch(address, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    });
    const date = readHttpDate(response.headers.get('date') ?? '');
    return date && Date.now() - date.getTime();
  } catch {
    return undefined; // Many providers close the connection of such a request. That says nothing about the clock.
  }
}
