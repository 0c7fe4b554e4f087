/** Plays recorded samples of /callbacks/3ds against core's own route. */
import type { AckOutcome } from '@paywright/contract';
import { compareCallback, readVectorFile, type VectorResult } from '@paywright/contract/testing';
import * as v from 'valibot';
import { makeToken, readToken } from '../three-ds/token.ts';
import { acknowledgeThreeDs, readThreeDs } from '../three-ds/read-three-ds.ts';

const File = v.object({
  publicUrl: v.string(),
  options: v.object({ tokenSecrets: v.array(v.string()), tokenTtlSeconds: v.number() }),
  tokens: v.optional(
    v.array(
      v.object({
        name: v.string(),
        now: v.string(),
        nonce: v.string(),
        paymentRequestId: v.string(),
        attempt: v.string(),
        token: v.string(),
      }),
    ),
    [],
  ),
});

export function runThreeDsVectors(text: string, only?: string): VectorResult[] {
  const json: unknown = JSON.parse(text);
  const { publicUrl, options, tokens } = v.parse(File, json);
  const made = tokens.map(({ name, now, token, attempt, nonce, paymentRequestId }): VectorResult => {
    const facts = { paymentRequestId, attempt: Number(attempt), nonce };
    const differences = [
      ...(makeToken(options, facts, new Date(now)) === token ? [] : ['token: the code makes another token']),
      ...(readToken(options, token, new Date(now)).verdict === 'right'
        ? []
        : ['token: the code does not accept this token']),
    ];
    return { name, call: 'token', passed: !differences.length, differences };
  });
  const posted = readVectorFile(json).callbacks.map(({ name, request, now, expect }): VectorResult => {
    const { method, path, query, headers, body, bodyBase64 } = request;
    const bytes = bodyBase64 === undefined ? Buffer.from(body ?? '') : Buffer.from(bodyBase64, 'base64');
    const receivedAt = now === undefined ? new Date() : new Date(now);
    const read = readThreeDs(
      { method, path, query, headers, body: bytes, remoteAddress: '203.0.113.1', receivedAt },
      options,
    );
    // The sample chooses the outcome of a genuine request (duplicate, try_later).
    const wanted = (expect.ack?.outcome ?? 'accepted') as AckOutcome;
    const outcome = read.verdict === 'genuine' ? wanted : read.verdict;
    const differences = compareCallback(expect, {
      genuine: read.verdict === 'genuine' ? true : read.verdict,
      events: read.verdict === 'genuine' ? [read.result.event] : [],
      outcome,
      acknowledgement: acknowledgeThreeDs(outcome, read, publicUrl),
    });
    return { name, call: 'callback', passed: !differences.length, differences };
  });
  return [...made, ...posted].filter(({ name }) => only === undefined || name === only);
}
