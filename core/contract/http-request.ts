/** Requests to a provider, as adapters build them. */
import { defined } from './defined.ts';
import { formType } from './form-message.ts';
import { writeForm } from './form.ts';
import { stringifyExact } from './json.ts';
import type { HttpRequest } from './provider.ts';

/** A path whose values are escaped, so that none of them reaches beyond its place: urlPath`/charges/${id}/refunds`. */
export function urlPath(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

/** A POST of one JSON message, in which a `JsonNumber` keeps its spelling; a header that is undefined is left out. */
export function jsonPost(
  path: string,
  message: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json', ...(defined(headers) as Readonly<Record<string, string>>) },
    body: stringifyExact(message),
  };
}

/** A POST of a form, in the order of its members; one that is undefined is left out. */
export function formPost(path: string, fields: Readonly<Record<string, string | undefined>>): HttpRequest {
  return { method: 'POST', path, headers: { 'Content-Type': formType }, body: writeForm(fields) };
}
