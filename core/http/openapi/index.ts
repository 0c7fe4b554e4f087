/** The public surface of the OpenAPI document. */
export { createDocument, merchantSections, serviceSections } from './document.ts';
export { isErrorCode, toMerchantView } from './merchant-view.ts';
export type { OpenApiDocument } from './model.ts';
export { explainErrors } from './explanations.ts';
export type { Explanations } from './explanations.ts';
export { problemExample } from './problems.ts';
export { merchantOperations } from './merchant-operations.ts';
export { createPostmanCollection } from './postman-collection.ts';
export type { DocumentFacts } from './section.ts';
