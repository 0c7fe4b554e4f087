import { expect } from 'chai';

// oxlint-disable-next-line typescript/no-explicit-any -- the tests read single members
export type JsonCall = (method: string, path: string, body?: unknown) => Promise<any>;

/** Calls with the merchant's key that must answer 200. */
export function createJsonCalls({ url, key }: { readonly url: string; readonly key: string }): JsonCall {
  return async (method, path, body) => {
    const headers = { 'X-API-Key': key, Accept: 'application/json', 'Content-Type': 'application/json' };
    const options = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}${path}`, options);
    const json = await response.json();
    expect(response.status, JSON.stringify(json)).to.equal(200);
    return json;
  };
}
