// The styles of parameters: every row of the table of OpenAPI (3.1.1, section 4.8.12.4; 3.2 for cookies), over HTTP.
import t from "tap";
import { documentOf, serve } from "../../support/document-server.ts";

const schemas = {
  string: "{ type: string }",
  array: "{ type: array, items: { type: string } }",
  object: "{ type: object, properties: { R: { type: integer }, G: { type: integer }, B: { type: integer } } }",
} as const;
type Type = keyof typeof schemas;
const values = { string: "blue", array: ["blue", "black", "brown"], object: { R: 100, G: 200, B: 150 } };
type Location = "path" | "query" | "header" | "cookie";

/** For each row of the table: the location, the style, explode, and the texts of the values, and of the empty ones. */
const table: [Location, string, boolean, Partial<Record<Type, string>>, Partial<Record<Type, [string, unknown]>>][] = [
  [
    "path",
    "matrix",
    false,
    { string: ";color=blue", array: ";color=blue,black,brown", object: ";color=R,100,G,200,B,150" },
    { string: [";color", ""], array: [";color", []], object: [";color", {}] },
  ],
  [
    "path",
    "matrix",
    true,
    { string: ";color=blue", array: ";color=blue;color=black;color=brown", object: ";R=100;G=200;B=150" },
    { string: [";color", ""], array: [";color", [""]], object: [";color", {}] },
  ],
  [
    "path",
    "label",
    false,
    { string: ".blue", array: ".blue,black,brown", object: ".R,100,G,200,B,150" },
    { string: [".", ""], array: [".", []], object: [".", {}] },
  ],
  [
    "path",
    "label",
    true,
    { string: ".blue", array: ".blue.black.brown", object: ".R=100.G=200.B=150" },
    { string: [".", ""], array: [".", []], object: [".", {}] },
  ],
  // The router has no empty parameter.
  ["path", "simple", false, { string: "blue", array: "blue,black,brown", object: "R,100,G,200,B,150" }, {}],
  ["path", "simple", true, { string: "blue", array: "blue,black,brown", object: "R=100,G=200,B=150" }, {}],
  [
    "header",
    "simple",
    false,
    { string: "blue", array: "blue,black, brown", object: "R,100, G,200,B,150" },
    { string: ["", ""], array: ["", []], object: ["", {}] },
  ],
  [
    "header",
    "simple",
    true,
    { string: "blue", array: "blue, black,brown", object: "R=100, G=200,B=150" },
    { string: ["", ""], array: ["", []], object: ["", {}] },
  ],
  [
    "query",
    "form",
    false,
    { string: "color=blue", array: "color=blue,black,brown", object: "color=R,100,G,200,B,150" },
    { string: ["color=", ""], array: ["color=", []], object: ["color=", {}] },
  ],
  [
    "query",
    "form",
    true,
    { string: "color=blue", array: "color=blue&color=black&color=brown", object: "R=100&G=200&B=150" },
    { string: ["color=", ""], array: ["color=", [""]], object: ["", undefined] },
  ],
  [
    "query",
    "spaceDelimited",
    false,
    { array: "color=blue%20black%20brown", object: "color=R%20100%20G%20200%20B%20150" },
    { array: ["color=", []], object: ["color=", {}] },
  ],
  ["query", "spaceDelimited", false, { array: "color=blue+black+brown", object: "color=R+100+G+200+B+150" }, {}],
  ["query", "spaceDelimited", true, { array: "color=blue&color=black&color=brown" }, {}],
  [
    "query",
    "pipeDelimited",
    false,
    { array: "color=blue%7Cblack%7cbrown", object: "color=R%7C100%7CG%7C200%7CB%7C150" },
    { array: ["color=", []], object: ["color=", {}] },
  ],
  ["query", "pipeDelimited", false, { array: "color=blue|black|brown", object: "color=R|100|G|200|B|150" }, {}],
  ["query", "pipeDelimited", true, { array: "color=blue&color=black&color=brown" }, {}],
  ["query", "deepObject", true, { object: "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150" }, {}],
  ["query", "deepObject", false, { object: "color[R]=100&color[G]=200&color[B]=150" }, {}],
  [
    "cookie",
    "form",
    false,
    { string: "color=blue", array: "color=blue,black,brown", object: "color=R,100,G,200,B,150" },
    { string: ["color=", ""], array: ["color=", []], object: ["color=", {}] },
  ],
  // RFC 6570 has &, and cookies have a semicolon.
  [
    "cookie",
    "form",
    true,
    { string: "color=blue", array: "color=blue&color=black&color=brown", object: "R=100&G=200&B=150" },
    { string: ["color=", ""], array: ["color=", [""]], object: ["other=1", undefined] },
  ],
  ["cookie", "form", true, { array: "color=blue; color=black; color=brown", object: "R=100; G=200; B=150" }, {}],
  [
    "cookie",
    "cookie",
    false,
    { string: "color=blue", array: "color=blue,black,brown", object: "color=R,100,G,200,B,150" },
    { string: ["color=", ""], array: ["color=", []], object: ["color=", {}] },
  ],
  [
    "cookie",
    "cookie",
    true,
    { string: "color=blue", array: "color=blue; color=black; color=brown", object: "R=100; G=200; B=150" },
    { string: ["color=", ""], array: ["color=", [""]], object: ["other=1", undefined] },
  ],
];

const fields = { path: "params", query: "query", header: "headers", cookie: "cookies" } as const;

/** Serves a path for each location, style, explode and type. */
const paths: string[] = [];
for (const style of ["matrix", "label", "simple", "form", "spaceDelimited", "pipeDelimited", "deepObject", "cookie"])
  for (const location of Object.keys(fields) as Location[])
    for (const explode of [true, false])
      for (const type of Object.keys(schemas) as Type[]) {
        if (!table.some((row) => row[0] === location && row[1] === style)) continue;
        const required = location === "path";
        // In a path, the label of an empty value would be the segment ".", which clients remove.
        paths.push(`  /${style}-${location}-${explode}-${type}/x${required ? "{color}" : ""}:
    get:
      parameters:
        - { name: color, in: ${location}, style: ${style}, explode: ${explode}, required: ${required}, schema: ${schemas[type]} }
      responses: { 204: { description: Done } }`);
      }
const { send, calls } = await serve(documentOf(paths.join("\n"), "", "3.2.0"));
t.beforeEach(() => calls.splice(0));

for (const [location, style, explode, texts, empty] of table)
  t.test(`Reads ${location} parameters of the style ${style}, explode ${explode}`, async (t) => {
    const check = async (type: Type, text: string, value: unknown) => {
      const path = `/${style}-${location}-${explode}-${type}/x`;
      const url = { path: path + text, query: `${path}?${text}`, header: path, cookie: path }[location];
      const headers = location === "header" || location === "cookie" ? { [fieldOf[location]]: text } : {};
      const { status, body } = await send("GET", url, { headers });
      t.equal(status, 204, `${type} ${text} ${JSON.stringify(body)}`);
      const received = calls.pop()?.[fields[location]] as Record<string, unknown> | undefined;
      t.strictSame(received?.color, value, `${type} ${text}`);
    };
    for (const [type, text] of Object.entries(texts)) await check(type as Type, text, values[type as Type]);
    for (const [type, [text, value]] of Object.entries(empty)) await check(type as Type, text, value);
  });
const fieldOf = { header: "color", cookie: "cookie" };
