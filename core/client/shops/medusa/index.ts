/** The module that a shop names in `medusa-config.ts`. */
import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { endOpenPayments } from './end-open-payments.ts';
import { PaywrightProvider } from './provider.ts';

export type { PaywrightOptions } from './options.ts';
export { endOpenPayments, PaywrightProvider };

export default ModuleProvider(Modules.PAYMENT, { services: [PaywrightProvider] });
