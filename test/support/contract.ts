// Checks the impact that the contract gate assigns to changes of a document.
import { readFileSync } from "node:fs";
import type { Test } from "tap";
import { compare, type Impact } from "../../scripts/contract/compare.ts";
import { edit } from "./files.ts";

/** The text of a document that is independent of the service, so that the edits of the tests always apply. */
export const baseline = readFileSync(new URL("contract.yaml", import.meta.url), "utf8");

/** The date of the comparison. Earlier sunsets have passed. */
export const today = "2026-11-21";

/** A replacement of text in the document. */
export type Edit = [from: string | RegExp, to: string];

/** A change of the document: its name, a part of the line that reports it, and its edits. */
export type Change = [name: string, reported: string, ...edits: Edit[]];

/** Returns the highest impact of the changes between two documents. */
export async function highestImpact(base: string, revision: string, day = today): Promise<Impact | undefined> {
  return (await compare(base, revision, day))[0]?.impact;
}

/**
 * Checks that each change is reported with the impact, and that no change is rated higher. One comparison covers all
 * changes of a list, because it takes 0.5 s. Changes that would hide each other belong in separate lists.
 */
export async function checkImpact(t: Test, impact: Impact, ...lists: Change[][]): Promise<void> {
  for (const list of lists) await check(t, impact, list, baseline, editAll(list));
}

/** Checks the impact of reverting the changes: the edited document is the earlier version. */
export async function checkImpactOfUndoing(t: Test, impact: Impact, ...list: Change[]): Promise<void> {
  await check(t, impact, list, editAll(list), baseline);
}

const editAll = (list: Change[]) => edit(baseline, ...list.flatMap(([, , ...edits]) => edits));

async function check(t: Test, impact: Impact, list: Change[], base: string, revision: string): Promise<void> {
  const changes = await compare(base, revision, today);
  t.equal(changes[0]?.impact, impact, "the highest impact comes first");
  for (const [name, reported] of list) {
    const found = changes.find(({ location, description }) => `${location}: ${description}`.includes(reported));
    t.equal(found?.impact, impact, `${name} is ${impact}: ${reported}`);
  }
}
