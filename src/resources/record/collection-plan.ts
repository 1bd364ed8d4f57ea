// What a document says of a collection of records, as plain data.
import type { Collection, Filter, IdForm, KeyMember, Order, Reference } from "../../store/index.ts";
import type { ValueType } from "./schema-nodes.ts";

/** What an operation does with a collection. */
export type OperationKind = "create" | "get" | "list" | "replace" | "update" | "delete";

/** What a document says of a collection of records, as plain data. Schemas are JSON pointers, and operations their operationIds. */
export interface CollectionPlan {
  /** The name of its table: its path, such as `pets` or `store_orders`. */
  readonly name: string;
  /** The path of the collection, or of the only record. */
  readonly path: string;
  /** Whether it is one record, and no collection. */
  readonly isSingle: boolean;
  /** The path of a record; that of the list if its records have none. */
  readonly recordPath: string;
  /** The parameter of the path with the id of a record. Empty if there is none. */
  readonly parameter: string;
  /** The parameters that select the scope of a record, those of headers first, then `shop` of `/shops/{shop}/books`. */
  readonly scope: readonly ScopeParameter[];
  readonly id: IdPlan;
  /** The name of one record, such as `pet`. */
  readonly recordName: string;
  readonly record: string;
  /** The schema of what creates or changes a record. */
  readonly newRecord: string;
  /** What the only record is until it is changed. Undefined if a request must create it. */
  readonly initial?: object | undefined;
  readonly filters: readonly Filter[];
  /** The orders of which the store keeps an index. */
  readonly indexes: readonly (readonly Order[])[];
  /** The members that no two records have in common, each alone or some together. */
  readonly uniques?: readonly (readonly KeyMember[])[];
  readonly references?: readonly Reference[];
  /** The member with the caller who has created a record: only they have it, unless the credential has a scope. */
  readonly owner?: KeyMember & { readonly unless?: string | undefined };
  /** The members that are kept, and in no response. */
  readonly private?: readonly string[];
  /** The parameters of the list that neither select a page nor name a property: no store can apply them. */
  readonly unknownParameters: readonly string[];
  /** The operation that creates records: a PUT only without a POST, and if it is not said to change one. Without it, they are imported. */
  readonly creation?: "create" | "replace" | undefined;
  readonly operations: Readonly<Partial<Record<OperationKind, string>>>;
  /** Its operations at other paths. One of each kind can also be that of `operations`. */
  readonly views: readonly ViewPlan[];
}

/** A parameter of the path of a collection, or a header that selects a tenant, and the member of its records that has the same value. */
export interface ScopeParameter {
  readonly parameter: string;
  readonly in?: "header" | undefined;
  readonly member?: string | undefined;
}

/** An operation of a collection at another path, such as `/companies/{companyId}/contacts` of `/contacts`. */
export interface ViewPlan {
  readonly kind: "create" | "list";
  readonly operation: string;
  /** The parameters of its path that are members of the records. */
  readonly within: readonly ViewParameter[];
}

/** A parameter of a path that is a member of the records which an operation creates or lists. */
export interface ViewParameter {
  readonly parameter: string;
  readonly type: ValueType;
  /** The names that lead to the member. */
  readonly path: readonly string[];
}

/** Where a record has its id. */
export interface IdPlan {
  /** The names that lead to it: of its property, or of an object and a property of it. Empty if only the path has it. */
  readonly path: readonly string[];
  readonly type: Collection["idType"];
  /** The form of a text that the store makes; undefined if it can make none that the document allows. */
  readonly form?: IdForm | undefined;
  /** What precedes it in each id that the store makes. */
  readonly prefix?: string | undefined;
  /** The member of the body of a creation that has it; undefined if that has its path, too. */
  readonly member?: string;
  /** The property with another id that the path of a record can have in its place, such as the slug of `{id_or_slug}`. */
  readonly other?: string | undefined;
  /** Whether a new record can have one. */
  readonly isSent: boolean;
  /** Whether each new record must have one. */
  readonly isRequired: boolean;
  /** Whether it is named like the parameter of the path, or `id`. Others are only likely. */
  readonly isUsual: boolean;
}
