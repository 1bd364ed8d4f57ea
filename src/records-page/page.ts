// The files of the page. Those of the browser are plain modules, which are sent as they are.
import { readFileSync } from "node:fs";
import { toJson } from "../lib/index.ts";
import type { Document } from "../openapi/index.ts";
import type { Plan } from "../resources/index.ts";
import { describeRecords } from "./describe.ts";
import { style } from "./style.ts";

export interface RecordsPageOptions {
  readonly document: Document;
  readonly plan: Plan;
  /** The operationIds that handlers of the application answer. */
  readonly own: readonly string[];
}

/** Returns the content of a file. */
export function readPage(name: string, { document, plan, own }: RecordsPageOptions): string {
  if (name === "index.html") return html;
  if (name === "style.css") return style;
  if (name === "plan.json") return toJson(describeRecords(document, plan, own));
  // From a folder of src, or of a bundle
  const place = libraries[name]?.() ?? new URL(`../records-page/browser/${name}`, import.meta.url);
  const text = readFileSync(place, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "");
  // Browsers find no packages: an import map would need an inline script.
  return text.replaceAll(
    /(from\s*)"preact(\/hooks)?"/g,
    (_, from, hooks) => `${from}"./${hooks ? "hooks" : "preact"}.js"`,
  );
}

const libraries: Readonly<Record<string, () => URL>> = {
  "preact.js": () => new URL("preact.module.js", import.meta.resolve("preact")),
  "hooks.js": () => new URL("hooks.module.js", import.meta.resolve("preact/hooks")),
};

// Paths are relative, so that they work behind a gateway that adds a prefix.
const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Records</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="records/style.css">
    <script type="module" src="records/main.js"></script>
  </head>
  <body>
    <noscript>This page needs JavaScript.</noscript>
  </body>
</html>
`;
