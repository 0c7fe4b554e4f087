import { apiKeyModel } from '../documents/api-key.ts';
import type { ModelOf } from '../documents/connect.ts';
import { idempotencyRecordModel } from '../documents/idempotency-record.ts';
import { ownerModel } from '../documents/owner.ts';
import { rateWindowModel } from '../documents/rate-window.ts';

/** The documents of this folder, for `ensureIndexes`. */
export const accessModels: readonly ModelOf[] = [ownerModel, apiKeyModel, rateWindowModel, idempotencyRecordModel];
