// What the validation of a value is.
import type { Problem } from "../../lib/index.ts";
import type { Wording } from "./keyword.ts";

/** The result of a validation: the value with exact numbers and default values, or up to ten problems. */
export type Validation = { readonly value: unknown } | { readonly problems: readonly [Problem, ...Problem[]] };

/** Validates a value. `wording` is that of messages: by default, its parts are fields. */
export type Validate = (value: unknown, wording?: Wording) => Validation;
