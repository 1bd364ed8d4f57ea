// readOnly and writeOnly (OpenAPI 3.1.1, section 4.8.24.1): a property that is not sent in one direction.
import type { Direction } from "../evaluation.ts";
import type { Keyword, Keywords } from "../keyword.ts";
import type { Marker } from "../value-forms.ts";
import * as form from "../value-forms.ts";

const excludedFrom: Readonly<Record<Marker, Direction>> = { readOnly: "request", writeOnly: "response" };

/** Returns whether a property with a marker is not sent in a direction, so that it is not required in it. */
export function isExcluded(marker: Marker | undefined, direction: Direction): boolean {
  return marker !== undefined && excludedFrom[marker] === direction;
}

// A marker is ignored outside of objects: items and whole values have an index instead of a name.
function define(marker: Marker, requirement: string): Keyword {
  return {
    form: form.boolean,
    isBasic: true,
    compile: ({ schema }, { dropsReadOnly }) => {
      if (schema[marker] !== true || (marker === "readOnly" && dropsReadOnly)) return undefined;
      return (_, run) =>
        run.direction !== excludedFrom[marker] || typeof run.position.key === "number" || run.fail(marker, schema);
    },
    describe: () => requirement,
  };
}

export const directionKeywords: Keywords = {
  readOnly: define("readOnly", "must not be sent, because it is read-only"),
  writeOnly: define("writeOnly", "must not be returned, because it is write-only"),
};
