/** What somebody values into a form of the console, and the file chosen there. */
import { readMultipart } from '../../http/input/read-multipart.ts';
import { readPagePost } from '../../http/input/read-page-post.ts';
import type { Ctx } from '../../http/state.ts';

/** By name, without space around it. */
export type FormValues = Readonly<Record<string, string>>;

const formLimitBytes = 16_384;
/** With a file: somewhat more than a logo may have, so that one that is too large is told so in words. */
const uploadLimitBytes = 1_048_576;

/** Nothing where the body is no form. */
export async function readFormValues(ctx: Ctx): Promise<FormValues> {
  return (await readPagePost(ctx.req, formLimitBytes)) ?? {};
}

/** `upload`: the field that a file may be chosen for; without it there is none. */
export async function readForm(
  ctx: Ctx,
  upload: string | undefined,
): Promise<{ readonly values: FormValues; readonly file?: Uint8Array }> {
  if (upload === undefined) return { values: await readFormValues(ctx) };
  const { fields = {}, files = {} } = (await readMultipart(ctx.req, uploadLimitBytes)) ?? {};
  const file = files[upload];
  return { values: fields, ...(file && { file }) };
}
