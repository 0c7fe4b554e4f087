import type { Connection } from 'mongoose';
import type { Cipher } from '../../../base/crypto/encryption.ts';
import type { RunConfig } from '../../../base/run-config.ts';
import type { Audit } from '../../audit/index.ts';
import type { AdapterStateStore } from '../states/adapter-states.ts';

export interface AccountsDeps {
  readonly connection: Connection;
  readonly encrypter: Pick<Cipher, 'encrypt' | 'decrypt'>;
  readonly run: Pick<RunConfig, 'config' | 'root' | 'adapterDirs' | 'isProduction'>;
  readonly adapterStates: AdapterStateStore;
  readonly audit: Pick<Audit, 'run'>;
  readonly now: () => Date;
}
