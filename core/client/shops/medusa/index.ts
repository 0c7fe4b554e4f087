/** The module that a shop names in `medusa-config.ts`. */
import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { PaywrightProvider } from './provider.ts';

export type { PaywrightOptions } from './options.ts';
export { PaywrightProvider };

export default ModuleProvider(Modules.PAYMENT, { services: [PaywrightProvider] });
