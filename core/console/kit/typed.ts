/** What somebody typed into a form of the console, and the file chosen there. */
import { readMultipart } from '../../http/input/read-multipart.ts';
import { readPagePost } from '../../http/input/read-page-post.ts';
import type { Ctx } from '../../http/state.ts';

/** By name, without space around it. */
export type Typed = Readonly<Record<string, string>>;

const formLimitBytes = 16_384;
/** With a file: somewhat more than a logo may have, so that one that is too large is told so in words. */
const uploadLimitBytes = 1_048_576;

/** Nothing where the body is no form. */
export async function typedIn(ctx: Ctx): Promise<Typed> {
  return (await readPagePost(ctx.req, formLimitBytes)) ?? {};
}

/** `upload`: the field that a file may be chosen for; without it there is none. */
export async function postedTo(
  ctx: Ctx,
  upload: string | undefined,
): Promise<{ readonly typed: Typed; readonly file?: Uint8Array }> {
  if (upload === undefined) return { typed: await typedIn(ctx) };
  const { fields = {}, files = {} } = (await readMultipart(ctx.req, uploadLimitBytes)) ?? {};
  const file = files[upload];
  return { typed: fields, ...(file && { file }) };
}
