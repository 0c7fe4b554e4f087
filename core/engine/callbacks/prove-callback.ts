/**
 * Finds the accounts whose secrets fit a callback, and which of its events each of them proves.
 *
 * All candidates are tried, also after one of them fits: two accounts may have the same secret. The payment decides
 * between them when the event is applied, because the answer to its submission may not be stored yet.
 */
import { setImmediate } from 'node:timers/promises';
import type { Parsed, RawCallback, Verdict, Verified } from '@paywright/contract';
import { groupBy } from '../../base/group-by.ts';
import { mainAccount } from '../providers/account-ref.ts';
import { mostImportant, type Refusal, type Side, type VerifiedCallback } from '../providers/callback-calls.ts';
import type { ProviderCalls } from '../providers/calls.ts';
import type { MappedEvent, MappedParsed } from '../providers/mapped-event.ts';
import type { ActiveAdapter } from '../providers/load/load-adapters.ts';
import type { FoundRoute, Registry } from '../providers/registry.ts';
import type { OwnershipReader } from './read-ownership.ts';

/** An account whose secret fits. */
export interface Proof extends Omit<VerifiedCallback, 'verdict'> {
  /** The route, with the account. */
  readonly found: FoundRoute;
  readonly verified: Verified<never>;
}

type Proofs = readonly [Proof, ...Proof[]];

/** Without any proof, why the callback is refused. An unproven callback has one proof, which says nothing. */
export type ProvenCallback =
  { readonly verdict: 'genuine' | 'unproven'; readonly proofs: Proofs } | (Refusal & { readonly side: Side });

/** Events of a callback that the same accounts prove. */
export interface ProvenEvents {
  readonly proof: Proof;
  /** The account of `proof`, and others that have the same secret. */
  readonly accounts: readonly string[];
  readonly events: readonly MappedEvent[];
}

export type ReadEvents =
  | {
      readonly groups: readonly ProvenEvents[];
      /** No account proves some entry of the batch. */
      readonly hasRefused: boolean;
    }
  | { readonly malformed: string };

export interface ProveDeps {
  readonly registry: Pick<Registry, 'accountsToTry'>;
  readonly calls: Pick<ProviderCalls, 'hint' | 'verify'>;
  readonly ownership: Pick<OwnershipReader, 'accountNamedIn'>;
}

/** The reasons are listed, so they contain nothing of the callback. */
const unknownAccount = 'it names an unknown account';
const needsOwnAddress = 'it can only be proven at the address of its account';

export async function proveCallback(deps: ProveDeps, found: FoundRoute, raw: RawCallback): Promise<ProvenCallback> {
  const { registry, calls, ownership } = deps;
  const { name: adapter } = found.active;
  const candidates =
    found.hasAccounts && !found.isOwnAddress ? registry.accountsToTry(adapter, calls.hint(found, raw)) : [found.active];
  if (candidates.length === 0) return { verdict: 'invalid_signature', reason: unknownAccount, side: 'live' };
  const tried = createTried();
  const verify = async (active: ActiveAdapter, mayCall: boolean): Promise<Verdict<never>> => {
    const { verdict, ...by } = await calls.verify({ ...found, active }, raw, { mayCall });
    if (mayCall || verdict.verdict !== 'try_later') tried.add(verdict, { ...by, found: { ...found, active } });
    return verdict;
  };
  const needCall: ActiveAdapter[] = [];
  for (const [at, active] of candidates.entries()) {
    // A break between the verifications, so that other work does not wait for all of them.
    if (at > 0) await setImmediate();
    const { verdict } = await verify(active, candidates.length === 1);
    if (verdict === 'try_later') needCall.push(active);
  }
  if (candidates.length > 1 && needCall.length > 0 && !tried.hasProof()) {
    // A forged callback must not cause a call to the provider for each account.
    const named = (await ownership.accountNamedIn(raw, adapter)) ?? mainAccount;
    const caller = needCall.find(({ account }) => account === named);
    if (caller) await verify(caller, true);
  }
  return tried.result();
}

/** Collects what the accounts say about a callback. */
function createTried() {
  const proofs: Record<'genuine' | 'unproven', Proof[]> = { genuine: [], unproven: [] };
  const refusals: (Refusal & { readonly side: Side })[] = [];
  return {
    add(verdict: Verdict<never>, by: Omit<Proof, 'verified'>): void {
      if (isProof(verdict)) proofs[verdict.verdict].push({ ...by, verified: verdict.verified });
      else refusals.push({ ...verdict, side: by.side });
    },
    hasProof: (): boolean => proofs.genuine.length + proofs.unproven.length > 0,
    result(): ProvenCallback {
      const [genuine, ...others] = proofs.genuine;
      if (genuine) return { verdict: 'genuine', proofs: [genuine, ...others] };
      const [unproven] = proofs.unproven;
      if (unproven) return { verdict: 'unproven', proofs: [unproven] };
      return mostImportant(refusals) ?? { verdict: 'invalid_signature', reason: needsOwnAddress, side: 'live' };
    },
  };
}

function isProof(verdict: Verdict<never>): verdict is Extract<Verdict<never>, { readonly verified: unknown }> {
  return verdict.verdict === 'genuine' || verdict.verdict === 'unproven';
}

/** Reads the events as each account, and finds those that several accounts prove. */
export function readEvents(calls: Pick<ProviderCalls, 'parse'>, proofs: Proofs): ReadEvents {
  const all = proofs.map((proof) => ({ proof, parsed: calls.parse(proof.found, proof.verified, proof) }));
  const read = all.flatMap(({ proof, parsed }) => ('events' in parsed ? [{ proof, parsed }] : []));
  const [only] = read;
  if (!only) return { malformed: all.flatMap(({ parsed }) => reasonOf(parsed))[0]! };
  const refused = hasRefused(read.map(({ parsed }) => parsed));
  if (read.length === 1) {
    const { account } = only.proof.found.active;
    return { groups: [{ proof: only.proof, accounts: [account], events: only.parsed.events }], hasRefused: refused };
  }
  const readings = read.flatMap(({ proof, parsed }) => toReadings(proof, parsed.events));
  const proven = [...groupBy(readings, ({ id }) => id).values()].map((same) => {
    // If the message names an account, only that account counts. If no account has the name, nothing is believed.
    const own = same.filter(({ event }) => !event.ofOtherAccount);
    const counted = own.length > 0 ? own : same.slice(0, 1);
    return { ...counted[0]!, accounts: counted.map(({ proof }) => proof.found.active.account) };
  });
  const groups = [...groupBy(proven, ({ accounts }) => accounts.join()).values()].map((same): ProvenEvents => {
    const { proof, accounts } = same[0]!;
    return { proof, accounts, events: same.map(({ event }) => event) };
  });
  return { groups, hasRefused: refused };
}

/** An event as one account reads it. Accounts that have the same secret read the same events, with the same ids. */
interface Reading {
  readonly proof: Proof;
  readonly event: MappedEvent;
  readonly id: string;
}

/** Equal events of one callback are different facts, so they are numbered. */
function toReadings(proof: Proof, events: readonly MappedEvent[]): Reading[] {
  const seen = new Map<string, number>();
  return events.map((event) => {
    const text = JSON.stringify({ ...event, ofOtherAccount: undefined });
    const n = seen.get(text) ?? 0;
    seen.set(text, n + 1);
    return { proof, event, id: `${n} ${text}` };
  });
}

/** True if no account proves some entry. Without the positions of refused entries, it is assumed to be the same one. */
function hasRefused(parsed: readonly Extract<Parsed, { readonly events: unknown }>[]): boolean {
  if (parsed.some(({ refused = 0 }) => refused === 0)) return false;
  const positions = parsed.flatMap(({ refusedAt }) => (refusedAt ? [refusedAt] : []));
  if (positions.length < parsed.length) return true;
  return positions[0]!.some((at) => positions.every((refused) => refused.includes(at)));
}

function reasonOf(parsed: MappedParsed): string[] {
  return 'malformed' in parsed ? [parsed.malformed] : [];
}
