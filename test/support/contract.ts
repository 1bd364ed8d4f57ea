// Checks how the contract gate rates changes of the document.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { compare } from "../../scripts/contract/compare.ts";
import type { Impact } from "../../scripts/contract/rate.ts";
import { edit, root } from "./files.ts";

/** The document that the changes are made to. Not the present one, since its edits would break as it grows. */
export const released = readFileSync(join(root, "openapi/released/1.0.0.yaml"), "utf8");

/** The day of the comparison. Sunsets before it have passed. */
export const today = "2026-11-21";

/** Replaces a text of the document. */
export type Edit = [from: string | RegExp, to: string];

/** A change of the document: its name, words of the line that reports it, and its edits. */
export type Change = [name: string, reported: string, ...edits: Edit[]];

/** Returns the highest impact of the changes between two documents. */
export async function highestImpact(base: string, revision: string, day = today): Promise<Impact | undefined> {
  return (await compare(base, revision, day))[0]?.impact;
}

/**
 * Checks that each change is reported with the impact, and that nothing is rated higher. The changes of a list are
 * compared at once, since a comparison takes 0.5 s: those that would hide each other belong in separate lists.
 */
export async function checkImpact(t: Test, impact: Impact, ...lists: Change[][]): Promise<void> {
  for (const list of lists) await check(t, impact, list, released, editAll(list));
}

/** Checks the impact of taking the changes back: the edited document is the earlier version. */
export async function checkImpactOfUndoing(t: Test, impact: Impact, ...list: Change[]): Promise<void> {
  await check(t, impact, list, editAll(list), released);
}

const editAll = (list: Change[]) => edit(released, ...list.flatMap(([, , ...edits]) => edits));

async function check(t: Test, impact: Impact, list: Change[], base: string, revision: string): Promise<void> {
  const changes = await compare(base, revision, today);
  t.equal(changes[0]?.impact, impact, "the highest impact comes first");
  for (const [name, reported] of list) {
    const found = changes.find(({ where, what }) => `${where}: ${what}`.includes(reported));
    t.equal(found?.impact, impact, `${name} is ${impact}: ${reported}`);
  }
}
