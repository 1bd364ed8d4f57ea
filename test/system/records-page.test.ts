// The page at /records in a browser: records are found, created, changed and deleted by the operations of the document.
import { readFileSync } from "node:fs";
import t from "tap";
import { authorize, button, cells, collection, field, key, link, openShop } from "../support/records-page.ts";

t.test("A user enters a credential, and creates, filters, orders, changes and deletes records", async (t) => {
  const { page, problems, url, get } = await openShop(t, 60);
  await collection(page, "books").click();
  t.match(await page.locator(".problem").textContent(), /credential/i, "the server's 401");
  await authorize(page, "wrong");
  t.match(await page.locator(".problem").textContent(), /API key/);
  await page.getByRole("button", { name: "Change the credential" }).click();
  await page.keyboard.press("Escape");
  await authorize(page);
  await page.locator("tbody tr").nth(49).waitFor();
  t.match(await page.locator("h1").textContent(), "60 records");
  await collection(page, "books").getByText("60").waitFor();

  await link(page, "Next").click();
  await page.getByText("Book 60").waitFor();
  t.equal((await cells(page, "title")).length, 10);
  await link(page, "Previous").click();
  await page.getByText("Book 1", { exact: true }).waitFor();
  await page
    .getByRole("columnheader", { name: /^title/ })
    .getByRole("button")
    .click();
  await page.locator('th[aria-sort="ascending"]').waitFor();
  await page
    .getByRole("columnheader", { name: /^title/ })
    .getByRole("button")
    .click();
  await page.getByText("Book 9", { exact: true }).waitFor();
  t.equal((await cells(page, "title"))[0], "Book 9", "in descending order");
  await page.getByText("Filter", { exact: true }).click();
  await page.locator(".filters [name=status]").selectOption("published");
  await button(page, "Apply").click();
  await page.getByText("30 records").waitFor();
  t.equal((await cells(page, "title"))[0], "Book 8", "in the same order");
  t.notMatch(page.url(), "secret");

  await link(page, "New").click();
  await field(page, "title").fill("Emma");
  await field(page, "author_id").fill("1");
  await field(page, "status").selectOption("retired");
  await field(page, "in_print").selectOption("true");
  await field(page, "isbn").fill("9223372036854775807");
  await page.getByRole("group", { name: "tags" }).getByRole("button", { name: "Add an item" }).click();
  await page.getByRole("group", { name: "tags" }).getByLabel("1", { exact: true }).fill("x");
  await page.getByRole("group", { name: "size" }).getByRole("button").click();
  await field(page, "height").fill("7");
  await page.getByLabel("Form of the value").selectOption("Print");
  await field(page, "pages").fill("300");
  await button(page, "Create").click();
  const message = page
    .locator(".field", { has: page.getByLabel("1", { exact: true }) })
    .last()
    .locator(".error");
  t.match(await message.textContent(), /at least 2/, "the server's error, beside its field");
  await page.getByRole("group", { name: "tags" }).getByLabel("1", { exact: true }).fill("xy");
  await button(page, "Create").click();
  await page.getByRole("heading", { name: "Emma" }).waitFor();
  t.match(await page.locator("dl").first().textContent(), "9223372036854775807", "an int64 is exact");
  const { created_at: _, ...emma } = JSON.parse((await get("/books/61")).replace(/:(\d{16,})/, ':"$1"'));
  t.same(emma, {
    ...{ id: 61, title: "Emma", author_id: 1, status: "retired", isbn: "9223372036854775807", in_print: true },
    ...{ tags: ["xy"], size: { height: 7 }, format: { kind: "print", pages: 300 } },
  });

  await link(page, "Change").click();
  const tool = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await tool("null subtitle");
  await tool("clear in_print");
  await tool("remove 1");
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Emma" }).waitFor();
  t.match(await get("/books/61"), /^(?!.*in_print).*"isbn":9223372036854775807.*"subtitle":null.*"tags":\[\]/);
  await link(page, "Change").click();
  await tool("clear subtitle");
  await field(page, "subtitle").fill("A");
  await field(page, "subtitle").fill("");
  await button(page, "Save").click();
  await page.getByText("empty", { exact: true }).waitFor();
  t.match(await get("/books/61"), '"subtitle":""', "an empty text is neither null nor missing");

  t.equal(await link(page, "1").getAttribute("href"), "#record/authors/1", "a reference");
  await link(page, "1").click();
  await page.getByRole("heading", { name: "Ada" }).waitFor();
  t.match(await page.locator(".off").first().getAttribute("data-why"), "The document has no PUT or PATCH");
  await page.locator("main").getByRole("link", { name: "books" }).click();
  await page.getByText("61 records").waitFor();
  t.match(page.url(), "#list/books?author_id=1", "the records that refer to it");
  await page.goto(`${url}/records#record/books/61`);
  await button(page, "Delete").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Deleted.").waitFor();
  t.match(await get("/books/61"), /not_found/);

  t.same(await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]"), [0, 0, ""]);
  await page.reload();
  t.match(await page.locator(".problem").textContent(), /credential/i, "a reload forgets the credential");
  t.same(problems(), [], "no error, and nothing blocked by the Content-Security-Policy");
});

t.test("Records below others, of one only, and changes by another client", async (t) => {
  const { page, problems, send, get } = await openShop(t, 1);
  await authorize(page);
  await collection(page, "reviews").click();
  await field(page, "bookId").fill("1");
  await button(page, "Show").click();
  await link(page, "New").click();
  await field(page, "text").fill("Good");
  await field(page, "stars").fill("5");
  await button(page, "Create").click();
  await page.getByText("Created.").waitFor();
  await link(page, "Change").click();
  await page.getByRole("button", { name: "clear stars" }).click();
  await button(page, "Save").click();
  await page.getByText("Saved.").waitFor();
  t.match(await get("/books/1/reviews/1"), '{"id":1,"text":"Good"}', "a PATCH removes a member");

  await collection(page, "settings").click();
  await link(page, "Change").click();
  await field(page, "is_open").selectOption("true");
  await button(page, "Save").click();
  await page.getByText("Saved.").waitFor();
  t.match(await get("/settings"), '"is_open":true');

  await collection(page, "books").click();
  await page.getByRole("link", { name: "1", exact: true }).first().click();
  await link(page, "Change").click();
  await field(page, "title").fill("Mine");
  await send("PUT", "/books/1", { title: "Yours", author_id: 1 }, key);
  await button(page, "Save").click();
  t.match(await page.locator(".problem").textContent(), /changed|match/i, "the ETag does not match any more");
  t.match(await get("/books/1"), '"title":"Yours"');
  t.same(problems(), []);
});

t.test("Imports and exports NDJSON and CSV", async (t) => {
  const { page, problems, url, get } = await openShop(t, 0);
  await authorize(page);
  const importFile = async (name: string, text: string) => {
    await page.goto(`${url}/records#import/books`);
    await page.getByLabel(/^File/).setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    await button(page, "Import").click();
    await page
      .getByText(/of \d+ records created/)
      .last()
      .waitFor();
    return page.locator('main [role="status"]').last();
  };
  const lines = Array.from({ length: 250 }, (_, n) => `{"title":"N ${n}","author_id":1,"isbn":9007199254740993}`);
  lines[6] = '{"title":"","author_id":1}';
  lines[9] = "{";
  lines[11] = '{"title":"huge","author_id":1,"price":1e400}'; // not null, which is what a double makes of it
  const status = await importFile("books.ndjson", lines.join("\n"));
  await status.getByText("247 of 250 records created, 3 failed.").waitFor();
  t.match(await page.locator(".errors li").allTextContents(), [/^Line 7: title: /, /^Line 10: /, /^Line 12: /]);
  const rows =
    'title,author_id,status,subtitle,tags,price\r\n"C, ""1""",1,draft,,"[""ab""]",1.5\r\nC 2,1,wrong,"",,\r\n';
  await (await importFile("books.csv", rows)).getByText("1 of 2 records created, 1 failed.").waitFor();
  t.match(await page.locator(".errors li").allTextContents(), [/^Line 3: status: /]);
  t.match(await get("/books/248"), '"title":"C, \\"1\\"","author_id":1,"status":"draft","price":1.5,"tags":["ab"]');

  const exportAs = async (format: string) => {
    await page.goto(`${url}/records#list/books`);
    await page.getByText("Export", { exact: true }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, format).click()]);
    return readFileSync(await download.path(), "utf8");
  };
  await collection(page, "books").getByText("248").waitFor();
  const ndjson = (await exportAs("NDJSON")).trimEnd().split("\n");
  t.equal(ndjson.length, 248, "of all pages");
  t.match(ndjson[0], '"isbn":9007199254740993');
  const csv = (await exportAs("CSV")).split("\r\n");
  t.match([csv.length, csv[0], csv[248]], [250, /^id,title,author_id,status/, /^248,"C, ""1""",1,draft,1.5,/]);

  await page.goto(`${url}/records#import/books`);
  const many = Array.from({ length: 20_000 }, (_, n) => `{"title":"M ${n}","author_id":1}`).join("\n");
  await page.getByLabel(/^File/).setInputFiles({ name: "b.ndjson", mimeType: "text/plain", buffer: Buffer.from(many) });
  await button(page, "Import").click();
  await button(page, "Stop").click();
  await page.getByText(/records created, stopped\./).waitFor();
  await page.getByLabel(/^File/).setInputFiles({ name: "b.ndjson", mimeType: "text/plain", buffer: Buffer.from(many) });
  await button(page, "Import").click();
  await page.goto(`${url}/records#list/authors`);
  await page.locator("td").first().waitFor();
  const count = async () => /"id":(\d+)/.exec(await get("/books?sort=-id&limit=1"))?.[1];
  await page.waitForTimeout(500); // of requests that were sent
  const before = await count();
  await page.waitForTimeout(500);
  t.equal(await count(), before, "another view ends the import");
  t.same(problems(), []);
});
