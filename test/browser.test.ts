// /docs in a real browser: what a person can do there.
import chromium from "@sparticuz/chromium";
import { type Page, chromium as playwright } from "playwright-core";
import t from "tap";
import { documentText, edit, start } from "./fixture.ts";

// The packaged Chromium brings its libraries only where it believes to be in this place. Where the
// machine has them already it is none the worse for it.
process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs24.x";
process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs24.x";

t.test("Authorize and Try it out work on every operation", async (t) => {
  const document = edit(documentText, ["operationId: listPets", "operationId: listPets\n      x-stability: beta"]);
  const service = await start(t, { document });
  const browser = await playwright.launch({
    args: chromium.args,
    executablePath: await chromium.executablePath(),
    headless: true,
  });
  t.teardown(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => complaints.push(request.url()));
  await page.goto(`${service.origin}/docs`);
  await page.locator(".opblock").first().waitFor();

  t.equal(await page.locator(".opblock").count(), 3);
  t.equal(await page.locator("#operations-Pets-getPet.opblock-deprecated").count(), 1, "getPet is shown as deprecated");
  await page.locator(".auth-wrapper .authorize").click();
  await page.locator(".auth-container input").fill(service.key);
  await page.locator(".auth-btn-wrapper .authorize").click();
  await page.locator(".auth-btn-wrapper .btn-done").click();

  const max = "9223372036854775807";
  await service.call("POST", "/v1/pets", { json: `{"name":"Max","categoryId":${max}}` });
  t.match(await execute(page, "createPet"), { status: "201", body: /"name": "Rex"/ });
  t.match(await execute(page, "listPets"), { status: "200", body: /"id": 2/ });
  t.match(await execute(page, "getPet"), { status: "200", body: `"categoryId": ${max}` }, "an int64 is shown exactly");
  t.match(await page.locator("#operations-Pets-getPet").textContent(), /x-sunset\s*"?2030-12-05/);
  t.match(
    await page.locator("#operations-Pets-listPets").textContent(),
    /x-stability\s*"?beta/,
    "the stability is shown",
  );
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });

  await page.goto("about:blank");
  await page.goto(`${service.origin}/docs#/Pets/getPet`);
  await page.locator("#operations-Pets-getPet .opblock-body").waitFor();
  t.pass("the address in the Link header opens the operation");
  t.same(complaints, [], "no error and no failed request, so the Content-Security-Policy lets all through");
});

async function execute(page: Page, operationId: string): Promise<{ status: string; body: string }> {
  const block = page.locator(`#operations-Pets-${operationId}`);
  await block.locator(".opblock-summary-control").click();
  await block.locator(".try-out__btn").click();
  await block.locator(".execute").click();
  const live = block.locator(".live-responses-table");
  await live.waitFor();
  const status = await live.locator("tbody .response-col_status").first().textContent();
  return {
    status: (status ?? "").trim().slice(0, 3),
    body: (await live.locator(".highlight-code, .microlight").first().textContent()) ?? "",
  };
}
