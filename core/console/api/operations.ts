/** Every operation of the management API, by its name. */
import { accountOperations, adapterOperations, routeOperations } from './account-operations.ts';
import { endpointOperations, keyOperations, merchantOperations, portalOperations } from './merchant-operations.ts';

export const operations = {
  ...merchantOperations,
  ...keyOperations,
  ...endpointOperations,
  ...portalOperations,
  ...accountOperations,
  ...adapterOperations,
  ...routeOperations,
};

export type OperationName = keyof typeof operations;
