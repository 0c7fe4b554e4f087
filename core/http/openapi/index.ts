/** The public surface of the OpenAPI document. */
export { createDocument } from './document.ts';
export type { OpenApiDocument } from './document.ts';
export type { DocumentFacts } from './facts.ts';
export { explanations } from './explanations.ts';
