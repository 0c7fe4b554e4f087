/** The provider codes and method codes of the interface, as ranges with gaps. */
import { whole } from '../input/query.ts';

export const providerCodes = whole(0, 59, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 20]);
export const methodCodes = whole(0, 20, [12]);
