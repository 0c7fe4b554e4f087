/** Reads the values of a submitted form of the console, and the uploaded file. */
import { readMultipart } from '../../http/input/read-multipart.ts';
import { readPagePost } from '../../http/input/read-page-post.ts';
import { receiveUpload, type ReceivedFile } from '../../http/input/receive-upload.ts';
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

/** A field whose file is written to disk while it arrives. */
export interface LargeUpload {
  readonly field: string;
  readonly limitBytes: number;
}

export interface SubmittedForm {
  readonly values: FormValues;
  readonly file?: Uint8Array;
  readonly stored?: ReceivedFile;
}

/** `upload` is the field that takes a file. Undefined: the form has no such field. */
export async function readForm(ctx: Ctx, upload: string | LargeUpload | undefined): Promise<SubmittedForm> {
  if (upload === undefined) return { values: await readFormValues(ctx) };
  if (typeof upload === 'object') {
    const { fields = {}, file } = (await receiveUpload(ctx.req, upload.field, upload.limitBytes)) ?? {};
    return { values: fields, ...(file && { stored: file }) };
  }
  const { fields = {}, files = {} } = (await readMultipart(ctx.req, uploadLimitBytes)) ?? {};
  const file = files[upload];
  return { values: fields, ...(file && { file }) };
}
