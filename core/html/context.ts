import type { ParameterizedContext } from 'koa';

/** The request and answer that a page is written to. The page kit reads no state of the application that serves it. */
export type PageContext = ParameterizedContext;
