// The storage of the service: one interface, implemented with SQLite and PostgreSQL.

export {
  collectionsIn,
  idTablesOf,
  reservedNames,
  sharedTables,
  type Table,
  type TableReader,
  type Tables,
  type TableWriter,
  type Values,
} from "./bulk.ts";
export { withoutConstraints } from "./constraints.ts";
export { removeWithBelow } from "./deletion.ts";
export {
  findHighest,
  findKeyProblem,
  type IdForm,
  idForms,
  makeId,
  maxImportedNumber,
  maxNumber,
  scopeOf,
  toAddress,
  toScope,
} from "./ids.ts";
export { isKeyName, keyNameRule } from "./keys.ts";
export {
  isInMemory,
  isMissingStore,
  type OpenTablesOptions,
  openDatabase,
  openTables,
  readKeys,
  readSchema,
  storeExists,
} from "./open.ts";
export type {
  ChangeResult,
  CreateResult,
  IdempotencyKey,
  Key,
  KeyStore,
  OpenMode,
  Page,
  PagePosition,
  Position,
  PutResult,
  RecordId,
  RecordQuery,
  RecordStore,
  Records,
  Store,
} from "./port.ts";
export {
  type Condition,
  compileOrder,
  isComparison,
  isOrdered,
  type Member,
  type Operator,
  type Order,
} from "./query/conditions.ts";
export { queryChannel, type Statement, sharedContexts } from "./query/query-channel.ts";
export { isTime, type TextKind } from "./query/value-bytes.ts";
export {
  addressOf,
  type Collection,
  defaultMaxBytes,
  type Filter,
  idColumn,
  idempotencyWindow,
  idOf,
  type KeyMember,
  newAddress,
  type Reference,
  scopeFilter,
  type ViewColumn,
  withoutId,
  writeLimited,
  writeMembers,
  writeRecord,
} from "./records.ts";
export { disableWal } from "./sqlite/sqlite-connection.ts";
export { createViewStatement } from "./views.ts";
