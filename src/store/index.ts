export {
  type IdTable,
  idTables,
  type Table,
  type TableReader,
  type Tables,
  type TableWriter,
  tables,
  type Values,
} from "./bulk.ts";
export { type OpenTablesOptions, openStore, openTables, storeExists } from "./open.ts";
export type {
  DailyCalls,
  DeprecatedCalls,
  IdempotencyKey,
  Key,
  KeyStore,
  NewPet,
  OpenMode,
  Page,
  PetStore,
  Store,
  StoreMetrics,
} from "./port.ts";
export { queryChannel, type Statement, sharedContexts } from "./query-channel.ts";
export { newPetColumns } from "./rows.ts";
export { disableWal } from "./sqlite/connection.ts";
