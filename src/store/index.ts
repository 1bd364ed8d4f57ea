// The storage of the service: one interface, implemented with SQLite and PostgreSQL.
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
export { isInMemory, isMissingStore, type OpenTablesOptions, openStore, openTables, storeExists } from "./open.ts";
export {
  type DailyCalls,
  type DeprecatedCalls,
  type IdempotencyKey,
  type Key,
  type KeyStore,
  type NewPet,
  type OpenMode,
  type Page,
  type PagePosition,
  type PetStore,
  retentionDays,
  type Store,
  type StoreMetrics,
} from "./port.ts";
export { queryChannel, type Statement, sharedContexts } from "./query-channel.ts";
export { newPetColumns, newPetFieldTypes, petFieldTypes, petFilterTypes } from "./rows.ts";
export { disableWal } from "./sqlite/sqlite-connection.ts";
