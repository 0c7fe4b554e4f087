/** Reads the values of a submitted form of the console, and the uploaded file. */
import { readMultipart } from '../../http/input/read-multipart.ts';
import { readPagePost } from '../../http/input/read-page-post.ts';
import type { Ctx } from '../../http/state.ts';

/** Values by field name, without leading and trailing space. */
export type FormValues = Readonly<Record<string, string>>;

const formLimitBytes = 16_384;
/**
 * Limit of a form with a file. It is larger than the limit of a logo, so that a logo that is too large gets a clear
 * message.
 */
const uploadLimitBytes = 1_048_576;

/** Empty if the body is not a form. */
export async function readFormValues(ctx: Ctx): Promise<FormValues> {
  return (await readPagePost(ctx.req, formLimitBytes)) ?? {};
}

/** `upload` is the field that takes a file. Undefined: the form has no such field. */
export async function readForm(
  ctx: Ctx,
  upload: string | undefined,
): Promise<{ readonly values: FormValues; readonly file?: Uint8Array }> {
  if (upload === undefined) return { values: await readFormValues(ctx) };
  const { fields = {}, files = {} } = (await readMultipart(ctx.req, uploadLimitBytes)) ?? {};
  const file = files[upload];
  return { values: fields, ...(file && { file }) };
}
