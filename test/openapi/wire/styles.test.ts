// The styles of parameters: every row of the table of OpenAPI (3.1.1, section 4.8.12.4; 3.2 for cookies), over HTTP.
import t, { type Test } from "tap";
import { documentOf, serve } from "../../support/document-server.ts";

const schemas = {
  string: "{ type: string }",
  array: "{ type: array, items: { type: string } }",
  object: "{ type: object, properties: { R: { type: integer }, G: { type: integer }, B: { type: integer } } }",
} as const;
type Type = keyof typeof schemas;
const values = { string: "blue", array: ["blue", "black", "brown"], object: { R: 100, G: 200, B: 150 } };
type Location = "path" | "query" | "header" | "cookie";

/** The location, the style and explode of each row, and the texts of `values`; - for none. */
const table = rows(`
  path   matrix         false ;color=blue ;color=blue,black,brown              ;color=R,100,G,200,B,150
  path   matrix         true  ;color=blue ;color=blue;color=black;color=brown  ;R=100;G=200;B=150
  path   label          false .blue       .blue,black,brown                    .R,100,G,200,B,150
  path   label          true  .blue       .blue.black.brown                    .R=100.G=200.B=150
  path   simple         false blue        blue,black,brown                     R,100,G,200,B,150
  path   simple         true  blue        blue,black,brown                     R=100,G=200,B=150
  header simple         false blue        blue,black,_brown                    R,100,_G,200,B,150
  header simple         true  blue        blue,_black,brown                    R=100,_G=200,B=150
  query  form           false color=blue  color=blue,black,brown               color=R,100,G,200,B,150
  query  form           true  color=blue  color=blue&color=black&color=brown   R=100&G=200&B=150
  query  spaceDelimited false -           color=blue%20black%20brown           color=R%20100%20G%20200%20B%20150
  query  spaceDelimited false -           color=blue+black+brown               color=R+100+G+200+B+150
  query  spaceDelimited true  -           color=blue&color=black&color=brown   -
  query  pipeDelimited  false -           color=blue%7Cblack%7Cbrown           color=R%7c100%7CG%7C200%7CB%7C150
  query  pipeDelimited  false -           color=blue|black|brown               color=R|100|G|200|B|150
  query  pipeDelimited  true  -           color=blue&color=black&color=brown   -
  query  deepObject     true  -           -                                    color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150
  query  deepObject     false -           -                                    color[R]=100&color[G]=200&color[B]=150
  cookie form           false color=blue  color=blue,black,brown               color=R,100,G,200,B,150
  cookie form           true  color=blue  color=blue&color=black&color=brown   R=100&G=200&B=150
  cookie form           true  -           color=blue;_color=black;_color=brown R=100;_G=200;_B=150
  cookie cookie         false color=blue  color=blue,black,brown               color=R,100,G,200,B,150
  cookie cookie         true  color=blue  color=blue;_color=black;_color=brown R=100;_G=200;_B=150`);

/** The text of an empty string, array and object. The router has no empty parameter of the style simple. */
const emptyTexts = rows(`
  path   matrix         false ;color ;color ;color
  path   matrix         true  ;color ;color ;color
  path   label          false .      .      .
  path   label          true  .      .      .
  header simple         false _      _      _
  header simple         true  _      _      _
  query  form           false color= color= color=
  query  form           true  color= color= _
  query  spaceDelimited false -      color= color=
  query  pipeDelimited  false -      color= color=
  cookie form           false color= color= color=
  cookie form           true  color= color= other=1
  cookie cookie         false color= color= color=
  cookie cookie         true  color= color= other=1`);

/** Parses a table. An underscore is a space in a text, or nothing. */
function rows(text: string) {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [location, style, explode, ...texts] = line.trim().split(/ +/);
      const read = (one: string) => (one === "-" ? [] : [one.replace(/^_$/, "").replaceAll("_", " ")]);
      const [string, array, object] = texts.map(read);
      return {
        location: location as Location,
        style: style as string,
        explode: explode === "true",
        texts: { string, array, object },
      };
    });
}

const fields = { path: "params", query: "query", header: "headers", cookie: "cookies" } as const;

/** Serves a path for each location, style, explode and type. */
const paths: string[] = [];
for (const style of ["matrix", "label", "simple", "form", "spaceDelimited", "pipeDelimited", "deepObject", "cookie"])
  for (const location of Object.keys(fields) as Location[])
    for (const explode of [true, false])
      for (const type of Object.keys(schemas) as Type[]) {
        if (!table.some((row) => row.location === location && row.style === style)) continue;
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

async function check(t: Test, { location, style, explode, texts }: (typeof table)[0], expected: Record<Type, unknown>) {
  for (const [type, [text]] of Object.entries(texts) as [Type, string[]][]) {
    if (text === undefined) continue;
    const path = `/${style}-${location}-${explode}-${type}/x`;
    const url = { path: path + text, query: `${path}?${text}`, header: path, cookie: path }[location];
    const headers = location === "header" || location === "cookie" ? { [fieldOf[location]]: text } : {};
    const { status, body } = await send("GET", url, { headers });
    t.equal(status, 204, `${type} ${text} ${JSON.stringify(body)}`);
    const received = calls.pop()?.[fields[location]] as Record<string, unknown> | undefined;
    t.strictSame(received?.color, expected[type], `${type} ${text}`);
  }
}
const fieldOf = { header: "color", cookie: "cookie" };

for (const row of table)
  t.test(`Reads ${row.location} parameters of the style ${row.style}, explode ${row.explode}`, (t) =>
    check(t, row, values),
  );

for (const row of emptyTexts)
  t.test(`Reads empty ${row.location} parameters of the style ${row.style}, explode ${row.explode}`, (t) => {
    const hasItem = row.explode && /matrix|form|cookie/.test(row.style);
    const isMissing = row.explode && /form|cookie/.test(row.style);
    return check(t, row, { string: "", array: hasItem ? [""] : [], object: isMissing ? undefined : {} });
  });
