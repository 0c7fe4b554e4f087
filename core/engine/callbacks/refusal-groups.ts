/** Groups refused callbacks by reason and sender network. Pure; every number of groups is bounded. */
import { isIPv4 } from 'node:net';
import { readIpAddress } from '@paywright/contract';
import { toAddressBlock } from '../../base/net/address-block.ts';
import { DAY } from '../../base/async/time.ts';
import type { RefusedGroup } from '../../database/collections/refused-callbacks.ts';

/** A callback that was refused before anything of it was believed. */
export interface Refusal {
  readonly reason: string;
  readonly route: string;
  readonly remoteAddress: string;
  readonly at: Date;
  /** The numbers of payments in its text. */
  readonly payments: readonly number[];
}

/** The most groups of an adapter that are kept, those with the latest callbacks. */
export const keptGroups = 100;
/** The most networks that one process distinguishes between two writes, per adapter. */
export const groupsPerSpan = 20;
export const otherNetworks = 'other networks';
const keptDays = 30;
const keptPayments = 5;
const longestRoute = 100;
/** How much of a message is searched for references of payments. */
const searchedBytes = 64 * 1024;
/** References of attempts, as they appear in JSON, forms and queries. */
const reference = /\bGW-([1-9]\d{0,14})-[1-9]\d{0,2}\b/g;

/** The network that a sender belongs to: enough to recognise a provider, and not the address of a person. */
export function networkOf(address: string): string {
  const plain = readIpAddress(address) ?? address;
  return isIPv4(plain) ? `${plain.split('.').slice(0, 3).join('.')}.0/24` : toAddressBlock(plain);
}

/** The payments that a message names in plain text. */
export function paymentsIn(query: string, body: Uint8Array): readonly number[] {
  const found = new Set<number>();
  for (const [, id] of matchesIn(query, body)) {
    found.add(Number(id));
    if (found.size === keptPayments) break;
  }
  return [...found];
}

/** The first of our references that a message names in plain text. */
export function referenceIn(query: string, body: Uint8Array): string | undefined {
  for (const [found] of matchesIn(query, body)) return found;
  return undefined;
}

function matchesIn(query: string, body: Uint8Array): Iterable<RegExpExecArray> {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, searchedBytes));
  return `${query}\n${start.toString('latin1')}`.matchAll(reference);
}

/** Adds one refusal to the groups that wait to be written. */
export function addRefusal(groups: Map<string, RefusedGroup>, refusal: Refusal): void {
  const { reason, route, remoteAddress, at, payments } = refusal;
  const network = networkOf(remoteAddress);
  const own = groupKey({ reason, network });
  const isFull = groups.size >= groupsPerSpan && !groups.has(own);
  const key = isFull ? groupKey({ reason, network: otherNetworks }) : own;
  const one = { reason, network: isFull ? otherNetworks : network, count: 1, firstAt: at, lastAt: at, payments };
  const added = { ...one, route: route.slice(0, longestRoute) };
  const before = groups.get(key);
  groups.set(key, before ? join(before, added) : added);
}

/** The stored groups with those that were counted since. Groups without a callback for 30 days are dropped. */
export function mergeGroups(
  stored: readonly RefusedGroup[],
  counted: readonly RefusedGroup[],
  now: Date,
): readonly RefusedGroup[] {
  const merged = new Map<string, RefusedGroup>();
  for (const one of [...stored, ...counted]) {
    const before = merged.get(groupKey(one));
    merged.set(groupKey(one), before ? join(before, one) : one);
  }
  const oldest = now.getTime() - keptDays * DAY;
  return [...merged.values()]
    .filter(({ lastAt }) => lastAt.getTime() > oldest)
    .toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())
    .slice(0, keptGroups);
}

function join(one: RefusedGroup, other: RefusedGroup): RefusedGroup {
  const [earlier, later] = one.lastAt <= other.lastAt ? [one, other] : [other, one];
  return {
    ...later,
    count: one.count + other.count,
    firstAt: one.firstAt <= other.firstAt ? one.firstAt : other.firstAt,
    payments: [...new Set([...later.payments, ...earlier.payments])].slice(0, keptPayments),
  };
}

function groupKey({ reason, network }: Pick<RefusedGroup, 'reason' | 'network'>): string {
  return `${reason}\n${network}`;
}
