/** Reads the requests that D's side receives: a signed triple with its members. Anything else is an error answer. */
import { readAs, v } from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import { Sum } from '../order.ts';
import type { Options } from '../options.ts';
import { readTriple, Text } from '../signing.ts';

const Address = v.pipe(
  Text,
  v.check((url) => /^https?:/.test(url) && URL.canParse(url)),
);
const Name = v.pipe(Text, v.regex(/^[A-Z0-9-]{1,28}$/));
// Written without leading zeros.
const Amount = v.pipe(Sum, v.regex(/^(0|[1-9]\d*)$/));

export const OrderRequest = v.object({
  D_Order: Name,
  D_Sum: Amount,
  D_Cur: Text,
  D_Name: Text,
  D_Mail: Text,
  D_Phone: Text,
  D_Addr: Text,
  D_City: Text,
  D_Region: Text,
  D_Zip: Text,
  D_Land: Text,
  D_Ip: v.optional(Text),
  D_Item: Text,
  D_Notify: Address,
  D_Return: Address,
});
export type OrderRequest = v.InferOutput<typeof OrderRequest>;

export const StateRequest = v.object({ D_Order: Name });

export const RefundRequest = v.object({ D_Order: Name, D_Refund: Name, D_Sum: Amount, D_Cur: Text });

export function errorReply(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return jsonReply(status, { d_error: code, d_text: code.replaceAll('_', ' ') }, headers);
}

/** Reads a call or returns its error answer. */
export function readCall<T>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): { readonly asked: T } | { readonly refused: Reply } {
  const form = request.form();
  const part = (name: string): string => form?.get(name) ?? '';
  const data = readTriple({ d_ver: part('d_ver'), d_data: part('d_data'), d_sig: part('d_sig') }, options);
  switch (data) {
    case 'version':
    case 'signature missing':
    case 'signature':
      return { refused: errorReply(401, 'bad_signature') };
    case 'account':
      return { refused: errorReply(401, 'bad_shop') };
    case 'data':
      return { refused: errorReply(400, 'bad_member') };
    default: {
      const asked = readAs(schema, data.members);
      return asked === undefined ? { refused: errorReply(400, 'bad_member') } : { asked };
    }
  }
}
