// The page at /records in a browser: credentials, hostile documents and records, and small screens.
import t from "tap";
import { openPage } from "../support/browser.ts";
import { documentOf } from "../support/document-server.ts";
import { writeFiles } from "../support/files.ts";
import { startOpenApi } from "../support/openapi-command.ts";
import { authorize, button, field, key, openShop } from "../support/records-page.ts";
import { shop } from "../support/shop.ts";

t.test("Credentials are sent as the security schemes say, and are not kept", async (t) => {
  const schemes = {
    query: "{ type: apiKey, in: query, name: api_key }",
    cookie: "{ type: apiKey, in: cookie, name: session }",
    bearer: "{ type: http, scheme: bearer }",
    basic: "{ type: http, scheme: basic }",
  };
  const listed =
    "{ description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } } } }";
  const one = listed.replace(
    "type: array, items: { $ref: '#/components/schemas/Note' }",
    "$ref: '#/components/schemas/Note'",
  );
  const paths = Object.keys(schemes).map(
    (name) => `  /${name}_notes:
    get: { operationId: ${name}, security: [{ ${name}: [] }], responses: { 200: ${listed} } }
    post: { security: [{ ${name}: [] }], requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }, responses: { 201: ${one} } }
  /${name}_notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { security: [{ ${name}: [] }], responses: { 200: ${one} } }
`,
  );
  const declared = Object.entries(schemes).map(([name, scheme]) => `    ${name}: ${scheme}\n`);
  const note =
    "{ type: object, required: [text], properties: { id: { type: integer, readOnly: true }, text: { type: string } } }";
  const rest = `components:\n  schemas: { Note: ${note} }\n  securitySchemes:\n${declared.join("")}`;
  const file = writeFiles(t, { "notes.yaml": documentOf(paths.join(""), rest) });
  const { url } = await startOpenApi(t, ["serve", file, "--data", "sqlite::memory:", "--key", "secret"]);
  const { page } = await openPage(t);
  page.setDefaultTimeout(10_000);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  await page.goto(`${url}/records`);
  await page.getByRole("button", { name: "Enter a credential" }).click();
  for (const label of [/^query: /, /^cookie: /, /^bearer: /, /^basic: password/])
    await page.getByLabel(label).fill("secret");
  await page.getByLabel("basic: user name").fill("ada");
  await page.getByRole("button", { name: "Use" }).click();
  for (const name of Object.keys(schemes)) {
    await page.goto(`${url}/records#new/${name}_notes`);
    await field(page, "text").fill(name);
    await button(page, "Create").click();
    await page.locator("dd").getByText(name).waitFor();
    t.notMatch(page.url(), /secret/, name);
  }
  t.same(await page.context().cookies(), [], "a cookie exists only while a request is sent");
  t.ok(
    sent.some((one) => one.includes("/query_notes?api_key=secret")) &&
      !sent.some((one) => one.includes("/basic_notes?")),
  );
});

t.test("A hostile document and hostile records run no script", async (t) => {
  const markup = "<img src=x onerror=alert(1)>";
  const hostile = shop
    .replace("title: Book shop", `title: "${markup}</title><script>alert(1)</script>"`)
    .replace("description: As on the cover.", `description: "${markup}", default: "${markup}"`)
    .replace(
      "in_print:",
      `"${markup}": { type: string }\n        __proto__: { type: string }\n        constructor: { type: string }\n        site: { type: string }\n        in_print:`,
    );
  const { page, problems, url, send } = await openShop(t, 0, hostile);
  let dialogs = 0;
  page.on("dialog", (dialog) => {
    dialogs += 1;
    void dialog.dismiss();
  });
  const record = {
    title: markup,
    author_id: 1,
    [markup]: markup,
    site: "javascript:alert(1)",
    subtitle: "http://x/<b>",
  };
  t.match(await send("POST", "/books", record, key), { status: 201 });
  await authorize(page);
  for (const view of ["list/books", "record/books/1", "edit/books/1", "new/books", "import/books"]) {
    await page.goto(`${url}/records#${view}`);
    await page.locator("h1").waitFor();
    await page.getByText(/Loading/).waitFor({ state: "detached" });
    t.equal(await page.locator("main img, main script, a[href^=javascript]").count(), 0, view);
  }
  await page.goto(`${url}/records#record/books/1`);
  await page.getByText("javascript:alert(1)").waitFor();
  t.equal(await page.getByRole("link", { name: "http://x/<b>" }).getAttribute("rel"), "noopener noreferrer");
  for (const address of [
    "#record/books/%zz",
    "#__proto__/books",
    "#list/constructor",
    "#record/books/..",
    "#list/books?status=<b>",
  ]) {
    await page.goto(`${url}/records${address}`);
    await page.locator("h1, .problem").first().waitFor();
  }
  const write = page.evaluate("document.body.innerHTML = '<b>x</b>'").then(
    () => "written",
    (error: Error) => error.message,
  );
  t.match(await write, /TrustedHTML/, "the policy refuses HTML");
  t.equal(dialogs, 0);
  t.same(
    problems().filter((message) => !/TrustedHTML|trusted/i.test(message)),
    [],
  );
});

t.test("The page fits a phone, in the dark", async (t) => {
  const { url } = await openShop(t, 3);
  const { page, pageErrors } = await openPage(t, {
    viewport: { width: 360, height: 740 },
    colorScheme: "dark",
    isMobile: true,
  });
  await page.goto(`${url}/records`);
  await authorize(page);
  t.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(21, 25, 29)");
  for (const view of ["", "list/books", "record/books/1", "edit/books/1", "import/books"]) {
    await page.goto(`${url}/records#${view}`);
    await page.locator("h1").waitFor();
    await page.getByText(/Loading/).waitFor({ state: "detached" });
    t.equal(await page.evaluate("document.documentElement.scrollWidth"), 360, `nothing is cut off: ${view}`);
  }
  const problems = pageErrors.filter((message) => !message.startsWith(url)); // requests are aborted
  t.same(problems, []);
});
