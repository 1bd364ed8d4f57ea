// The documentation at /docs in a browser.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openPage } from "../support/browser.ts";
import { editDocument, setOperation } from "../support/document.ts";
import { documentText, folder, root } from "../support/files.ts";
import { runOpenApi } from "../support/openapi-command.ts";
import { skipWithout } from "../support/programs.ts";
import { start } from "../support/service.ts";

t.test("A user authorizes, lists, creates and gets pets, and sees an error", async (t) => {
  const { origin, key, call } = await start(t);
  const { page, pageErrors } = await openPage(t);
  await page.goto(`${origin}/docs`);
  await page.locator(".opblock").first().waitFor();

  const listPets = await open(page, "listPets");
  t.match(await execute(listPets), { status: "401", body: /"code": "unauthorized"/ }, "a call without a key");
  await page.locator(".auth-wrapper .authorize").click();
  await page.locator(".auth-container input").fill(key);
  await page.locator(".auth-btn-wrapper .authorize").click();
  await page.locator(".auth-btn-wrapper .btn-done").click();

  const max = "9223372036854775807";
  await call("POST", "/v1/pets", { json: `{"name":"Max","categoryId":${max}}` });
  const createPet = await open(page, "createPet");
  t.match(await createPet.locator("textarea").inputValue(), /"name": "Rex"/, "the body's example is filled in");
  t.match(await execute(createPet), { status: "201", body: /"id": 2/ });
  t.equal(await listPets.locator('input[placeholder="limit"]').inputValue(), "20", "the default is filled in");
  t.match(await execute(listPets), { status: "200", body: /"name": "Max"[\s\S]*"name": "Rex"/ });
  const getPet = await open(page, "getPet");
  t.equal(await getPet.locator('input[placeholder="petId"]').inputValue(), "1", "the parameter's example is filled in");
  t.match(await execute(getPet), { status: "200", body: `"categoryId": ${max}` }, "an int64 is shown exactly");
  await getPet.locator('input[placeholder="petId"]').fill("42");
  t.match(await execute(getPet), { status: "404", body: /No pet has the id 42/ });

  await page.reload();
  await page.locator(".opblock").first().waitFor();
  t.match(await execute(await open(page, "listPets")), { status: "401" }, "a reload forgets the key");
  t.equal(await page.evaluate("localStorage.length"), 0);
  t.same(pageErrors, [], "no error, no failed request, and nothing blocked by the Content-Security-Policy");
});

t.test("The page shows deprecated operations, their stability, the tags and the servers", async (t) => {
  const document = editDocument(
    setOperation("listPets", { "x-stability": "beta" }),
    setOperation("createPet", { "x-stability": "experimental" }),
  );
  const settings = { BASE_URL: "https://pets.example/v1", STAGING_BASE_URL: "https://staging.pets.example/v1" };
  const { origin } = await start(t, { document, settings });
  const { page, pageErrors } = await openPage(t);
  await page.goto(`${origin}/docs`);
  await page.locator(".opblock").first().waitFor();

  const summary = (id: string) => page.locator(`#operations-Pets-${id} .opblock-summary`);
  const line = await summary("getPet").locator(".opblock-summary-path__deprecated").evaluate(decoration);
  t.match(line, /line-through/, "the path of getPet is struck through");
  const { paths, tags } = parse(documentText);
  const { "x-sunset": sunset, "x-successor": successor } = paths["/pets/{petId}"].get;
  const date = new Date(sunset).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  t.match(await summary("getPet").textContent(), new RegExp(`removed on ${date}.*use ${successor}`));
  t.same(await summary("listPets").locator(".badge").allTextContents(), ["beta"]);
  t.same(await summary("createPet").locator(".badge").allTextContents(), ["experimental"]);
  t.same(
    await page.locator(".opblock-tag").evaluateAll((all) => all.map((tag) => tag.getAttribute("data-tag"))),
    tags.map(({ name }: { name: string }) => name),
  );
  t.same(await page.locator(".servers option").allTextContents(), [
    "/v1 - This service",
    "https://pets.example/v1 - Production",
    "https://staging.pets.example/v1 - Staging",
  ]);
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });

  await page.goto("about:blank");
  await page.goto(`${origin}/docs#/Pets/getPet`);
  await page.locator("#operations-Pets-getPet .opblock-body").waitFor();
  t.pass("the address in the Link header opens the operation");
  t.same(pageErrors, []);
});

t.test("/docs fits phones and desktops, in light and dark, and shows the error codes", async (t) => {
  const { origin } = await start(t);
  for (const [viewport, colorScheme, background] of [
    [{ width: 1_280, height: 900 }, "light", "rgb(250, 250, 250)"],
    [{ width: 1_280, height: 900 }, "dark", "rgb(28, 32, 34)"],
    [{ width: 390, height: 844 }, "dark", "rgb(28, 32, 34)"],
    [{ width: 390, height: 844 }, "light", "rgb(250, 250, 250)"],
  ] as const) {
    const isMobile = viewport.width < 600;
    const { page, pageErrors } = await openPage(t, { viewport, colorScheme, isMobile });
    await page.goto(`${origin}/docs`);
    const operation = page.locator("#operations-Pets-createPet");
    await operation.waitFor();
    t.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), background, colorScheme);
    const { y = 0 } = (await page.locator(".opblock").first().boundingBox()) ?? {};
    t.ok(y > 0 && y < viewport.height - 100, "the first operation is visible without scrolling");
    await operation.getByRole("button").first().click();
    await operation.locator(".responses-wrapper").waitFor();
    t.equal(await page.evaluate("document.documentElement.scrollWidth"), viewport.width, "nothing is cut off");
    const { height = 0 } = (await operation.boundingBox()) ?? {};
    t.ok(height < 2_600, `createPet has ${height} px at a width of ${viewport.width}`);
    const failure = operation.locator(".folded-failure", { hasText: "invalid_parameter" });
    t.same(await failure.locator("summary > code").allTextContents(), [
      "invalid_body",
      "invalid_parameter",
      "malformed_request",
    ]);
    await failure.locator("summary").first().click();
    t.match(await failure.locator(".highlight-code").textContent(), /"code": "invalid_body"/, "with its example");
    t.same(pageErrors, []);
  }
});

t.test("The quick start works when pasted, in each language", async (t) => {
  const { origin, key } = await start(t);
  const { page, pageErrors } = await openPage(t);
  await page.goto(`${origin}/docs`);
  const quickStart = page.locator(".quick-start");
  const snippets: Record<string, string> = {};
  for (const name of ["curl", "JavaScript", "Python"]) {
    await quickStart.getByRole("tab", { name }).click();
    snippets[name] = (await quickStart.getByRole("tabpanel").textContent()) ?? "";
  }
  const options = { env: { ...process.env, KEY: key }, encoding: "utf8" } as const;
  const run = promisify(execFile);
  t.equal((await run("sh", ["-c", snippets.curl as string], options)).stdout, "[]");
  const script = ["--input-type=module", "--eval", snippets.JavaScript as string];
  t.equal((await run(process.execPath, script, options)).stdout, "200 []\n");
  t.same(pageErrors, []);
  await t.test("Python", { skip: skipWithout("python3", "python3") }, async (t) => {
    t.equal((await run("python3", ["-c", snippets.Python as string], options)).stdout, "[]\n");
  });
});

t.test("The quick start follows references, and has no operation that it can't call", async (t) => {
  const responses = { 200: { description: "Success" } };
  const app = await createServer({
    document: {
      openapi: "3.1.0",
      info: { title: "</title><h1 id=injected>Any</h1>", version: "1.0.0" },
      servers: [{ url: "/v2" }],
      components: {
        securitySchemes: {
          inQuery: { type: "apiKey", in: "query", name: "key" },
          token: { type: "http", scheme: "bearer" },
        },
        pathItems: { "any/Notes": { get: { operationId: "listNotes", security: [{ token: [] }], responses } } },
      },
      paths: {
        "x-note": "an extension",
        "/first": { get: { operationId: "first", security: [{ inQuery: [] }], responses } },
        "/$(id)'\"`": { $ref: "#/components/pathItems/any~1%4Eotes" },
      },
    },
    mock: true,
  });
  t.teardown(() => app.close());
  const { page, pageErrors } = await openPage(t);
  await page.goto(`${await app.listen({ port: 0, host: "127.0.0.1" })}/docs`);
  const snippet = page.locator(".quick-start").getByRole("tabpanel");
  t.match(await snippet.textContent(), /^curl 'http:\/\/127\.0\.0\.1:\d+\/v2\/\$\(id\)%27%22%60' .*Bearer \$KEY"$/s);
  t.equal(await page.locator("title").textContent(), "</title><h1 id=injected>Any</h1> API");
  t.equal(await page.locator("#injected").count(), 0);
  t.same(pageErrors, []);
});

t.test(
  "The page calls the service that serves it, directly and behind a gateway that adds a path prefix",
  async (t) => {
    const { origin, call } = await start(t, { settings: { BASE_URL: "https://pets.example/shop/v1" } });
    t.match(await call("GET", "/", { key: null }), { headers: { location: "docs" } });
    const { page } = await openPage(t);
    // The gateway removes the prefix.
    await page.route(`${origin}/shop/**`, async (route) => {
      const url = route.request().url().replace("/shop/", "/");
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    for (const path of ["/docs", "/shop/docs"]) {
      await page.goto(`${origin}${path}`);
      await page.locator(".opblock").first().waitFor();
      t.equal(await page.locator(".servers option").first().textContent(), "../v1 - This service");
      t.match(await execute(await open(page, "listPets")), { status: "401", body: /"code": "unauthorized"/ }, path);
    }
  },
);

t.test("The page calls operations that the document has at other servers at this one", async (t) => {
  const at = (url: string) => ({ servers: [{ url }] });
  const responses = {
    200: { description: "Success", content: { "application/json": { schema: { type: "string" } } } },
  };
  const app = await createServer({
    document: {
      openapi: "3.1.0",
      info: { title: "Files", version: "1.0.0" },
      ...at("https://api.example/v2"),
      paths: {
        "/root": { get: { operationId: "root", responses } },
        "/path": { ...at("https://files.example/files"), get: { operationId: "path", responses } },
        "/operation": { get: { operationId: "operation", ...at("https://{region}.example"), responses } },
      },
    },
    strict: false,
    handlers: Object.fromEntries(
      ["root", "path", "operation"].map((id) => [id, async () => ({ status: 200 as const, body: id })]),
    ),
  });
  t.teardown(() => app.close());
  const { page, pageErrors } = await openPage(t);
  await page.goto(`${await app.listen({ port: 0, host: "127.0.0.1" })}/docs`);
  for (const id of ["root", "path", "operation"])
    t.match(await execute(await open(page, id, "default")), { status: "200", body: `"${id}"` }, id);
  t.same(pageErrors, [], "nothing is blocked by the Content-Security-Policy");
});

t.test("The page shows what each operation does with records, or why it needs a handler", async (t) => {
  const { page, pageErrors } = await openPage(t);
  const controller = new AbortController();
  t.teardown(() => controller.abort());
  const example = join(root, "examples/orders");
  const handlers = join(folder(t), "handlers.ts");
  writeFileSync(handlers, `export { createOrder } from ${JSON.stringify(join(example, "handlers.ts"))};`);
  const args = ["--handlers", handlers, "--data", "sqlite::memory:", "--port", "0"];
  const { stdout } = await runOpenApi(["serve", join(example, "orders.yaml"), ...args], controller.signal);
  await page.goto(/http:\S+\/docs/.exec(stdout)?.[0] as string);
  const badge = (id: string) => page.locator(`#operations-default-${id} .badge`).first().textContent();
  const plan = async (id: string) => {
    await page.locator(`#operations-default-${id} .opblock-summary-control`).click();
    await page.locator(`#operations-default-${id} .responses-wrapper`).waitFor();
    return (await page.locator(`#operations-default-${id} blockquote`).allInnerTexts()).join();
  };
  t.equal(await badge("createCustomer"), "from records");
  t.equal(
    await plan("createCustomer"),
    "Creates a record of customers; makes created_at (the time).\n" +
      "Doubt: it does not require the property created_at, which each record must have.",
  );
  t.equal(await badge("createOrder"), "by a handler");
  t.equal(await plan("createOrder"), "");
  t.equal(await badge("shipOrder"), "not answered (501)");
  t.equal(
    await plan("shipOrder"),
    "Needs a handler: it creates nothing that can be read: there is no GET /orders/{orderId}/ship/{…}.",
  );
  t.same(pageErrors, []);
});

async function open(page: Page, operationId: string, tag = "Pets") {
  const block = page.locator(`#operations-${tag}-${operationId}`);
  await block.locator(".opblock-summary-control").click();
  await block.locator(".try-out__btn").click();
  return block;
}

type Block = Awaited<ReturnType<typeof open>>;

/** Executes the call of the block, and returns the response that the page shows. */
async function execute(block: Block): Promise<{ status: string; body: string }> {
  const clear = block.locator(".btn-clear");
  if ((await clear.count()) > 0) await clear.click();
  await block.locator(".execute").click();
  const live = block.locator(".live-responses-table");
  await live.waitFor();
  const status = await live.locator("tbody .response-col_status").first().textContent();
  return {
    status: (status ?? "").trim().slice(0, 3),
    body: (await live.locator(".highlight-code, .microlight").first().textContent()) ?? "",
  };
}

// Runs in the page. This project has no types of the DOM.
function decoration(element: unknown): string {
  const { getComputedStyle } = globalThis as unknown as { getComputedStyle(element: unknown): Record<string, string> };
  return getComputedStyle(element).textDecorationLine ?? "";
}
