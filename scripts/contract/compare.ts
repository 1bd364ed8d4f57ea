// Compares two versions of the contract, for callers and for generated clients.
import { isDeepStrictEqual } from "node:util";
import { compareDocuments, type Change as DocumentChange, type Rating } from "../../src/diff/index.ts";
import { type Document, parseDocument } from "../../src/openapi/index.ts";
import { describeFindings } from "../../src/openapi/tools.ts";
import { compareNames } from "./names.ts";

/** The part of the version that must increase (semver.org): major for breaking changes, patch for documentation. */
export type Impact = "major" | "minor" | "patch";

/** A rated change. */
export interface Change {
  readonly impact: Impact;
  /** Such as: listPets, query parameter `limit`. A change in a shared component has the location of the component. */
  readonly location: string;
  readonly description: string;
}

const impacts: Readonly<Record<Rating, Impact>> = { breaking: "major", compatible: "minor", documentation: "patch" };

/**
 * Returns the changes between two versions of the contract, both as YAML. Breaking changes come first. `today` is an
 * ISO 8601 date.
 */
export async function compare(base: string, revision: string, today: string): Promise<Change[]> {
  const [old, revised] = [await read(base), await read(revision)];
  const changes = [...compareDocuments(old, revised, today).map(toChange), ...compareNames(old, revised)];
  const order: readonly Impact[] = ["major", "minor", "patch"];
  if (changes.length > 0) return changes.sort((one, other) => order.indexOf(one.impact) - order.indexOf(other.impact));
  // Every change of the document needs a new version of the package.
  const [{ info: _, ...before }, { info: __, ...after }] = [old.content, revised.content];
  const description = "The order, or a component that no operation uses, changed.";
  return isDeepStrictEqual(before, after) ? [] : [{ impact: "patch", location: "document", description }];
}

async function read(text: string): Promise<Document> {
  const document = await parseDocument(text, { strict: false });
  const broken = document.findings.list().filter(({ rule }) => rule === "reference");
  if (broken.length > 0) throw new Error(`Can't compare the documents: ${describeFindings(broken).join(" ")}`);
  return document;
}

// Generated clients refer to an operation by its name.
function toChange({ rating, rule, location, text, operations, old, new: revised }: DocumentChange): Change {
  const isShared = [old, revised].some(({ pointer }) => pointer.startsWith("/components/"));
  const [operation] = operations;
  const isOfOperation = operation && !isShared && !/^(document|path) /.test(location);
  const name = isOfOperation ? (operation.operationId ?? `${operation.method} ${operation.path}`) : "";
  return {
    impact: rule === "operationId" ? "major" : impacts[rating],
    location: [name, location].filter(Boolean).join(", "),
    description: text,
  };
}
