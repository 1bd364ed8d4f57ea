// /status in a real browser, and petstore status in a process: what an operator sees of the running service.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import t from "tap";
import { makeKey } from "../src/auth.ts";
import { handlers } from "../src/handlers.ts";
import { describeService, judge, type Status, summarize, toCharts, toFigures, toTables } from "../src/status/words.js";
import type { Store } from "../src/store/store.ts";
import { openPage } from "./support/browser.ts";
import { certify } from "./support/certificate.ts";
import { documentText, edit, folder } from "./support/files.ts";
import { freePort } from "./support/port.ts";
import { petstoreProcess as petstore, petstoreAside, startServer } from "./support/processes.ts";
import { addKey, start } from "./support/service.ts";

const step = 10_000; // milliseconds, of the service and of the page

t.test("an operator sees calls, times, keys and what is going away", async (t) => {
  const { origin, call, create, store } = await start(t);
  const names = ["<img src=x onerror=alert(1)>", "alice"];
  const [odd, alice] = await Promise.all(names.map((name) => addKey(store, name)));
  const { id } = await create({ name: "Rex", categoryId: 7 });
  const tell = async () => {
    for (let n = 0; n < 5; n++) await call("GET", "/v1/pets", { key: odd });
    for (let n = 0; n < 3; n++) await call("GET", `/v1/pets/${id}`, { key: alice });
    await call("GET", "/v1/pets/42", { key: alice });
  };
  await tell();
  const { page, complaints } = await openPage(t);
  await page.goto(`${origin}/status`);
  t.equal(await page.locator("#figures").innerText(), "", "without a key it shows nothing");
  await enter(page, await addOperator(store));
  await page.locator("#tables table").first().waitFor();

  t.match(await page.locator("#state").innerText(), /^✓ All is well: .* getPet goes in 1,\d\d\d days\.$/);
  t.equal(await page.title(), "✓ Pet Store status");
  t.match(
    await page.locator("#service").innerText(),
    /^version 1\.0\.0, contract 1\.1\.0, SQLite, 1 process, since \d/,
  );
  const operations = await rows(page, "Operations");
  t.match(operations, [
    /^listPets\tGET \/pets\t[\d.]+\t0\t[\d.]+\t[\d.]+$/,
    /^createPet\tPOST \/pets\t/,
    /^getPet\tGET \/pets\/\{petId\}\t/,
    ...operations.slice(3),
  ]);
  t.match(await rows(page, "Most active keys"), [/^<img src=x onerror=alert\(1\)>\t5\t[\d.]+$/, /^alice\t4\t[\d.]+$/]);
  t.match(await rows(page, "Deprecated operations"), [/^getPet\t2030-12-05\t\/pets\t1,\d\d\d\t\d$/]);

  await tell();
  await page
    .locator("figure", { hasText: "Requests" })
    .locator("canvas")
    .waitFor({ timeout: 3 * step });
  t.match(await rows(page, "Who called them"), [/^getPet\talice\t\d{4}-\d\d-\d\d\t[48]$/], "by the next question");
  t.equal(await page.locator("#tables th[scope=col]").count(), 18);
  t.equal(await page.locator("#tables th[scope=row]").count(), await page.locator("#tables tbody tr").count());
  for (const plot of await page.locator(".plot:visible").all())
    t.match(await plot.getAttribute("aria-label"), /^[A-Z].*, in the last hour\. Now: .*\d/);
  t.ok(Number(await drawn(page)) > 4, "plots have lines, or dots where there is one point");
  t.match(
    await page.locator("figure").allInnerTexts(),
    Array(8).fill(/^(Requests|Refused|Time|Memory|Event|In flight)/),
  );

  const requests = page.locator("figure", { hasText: "by operation" });
  const legend = requests.locator(".legend li");
  t.match(await legend.allInnerTexts(), [
    /^listPets [\d.]+ \/s$/,
    /^createPet /,
    /^getPet /,
    ...Array((await legend.count()) - 4).fill(/./),
    "now",
  ]);
  await requests.locator(".u-over").hover();
  t.match(await legend.last().innerText(), /^\d\d:\d\d:\d\d$/, "at the cursor, the values of that time");
  const memory = page.locator("figure", { hasText: "Memory" }).locator(".legend li").last();
  t.equal(await memory.innerText(), await legend.last().innerText(), "the cursor is in all plots");
  t.same(complaints, [], "no error and no failed request: the Content-Security-Policy lets all through");
  await t.rejects(page.evaluate("document.body.innerHTML = '<b>bold</b>'"), /TrustedHTML/, "no text becomes HTML");
});

t.test("keys that are refused, and where a key stays", async (t) => {
  const { origin, key, store } = await start(t);
  const { page, complaints } = await openPage(t);
  await page.goto(`${origin}/status`);
  await enter(page, makeKey().key);
  await page.getByText("The key is refused. The API key is not valid").waitFor();
  await enter(page, key);
  await page.getByText("The key is refused. The API key is not an operator's").waitFor();
  t.equal(await page.evaluate("sessionStorage.length"), 0, "none is kept");
  t.equal(await page.evaluate("document.activeElement.id"), "key", "the next one can be entered at once");

  const operator = await addOperator(store);
  await enter(page, ` ${operator} `);
  await page.locator("#tables table").first().waitFor();
  await page.reload();
  await page.locator("#tables table").first().waitFor();
  t.equal(page.url(), `${origin}/status`, "the key is in no address");
  t.equal(await page.evaluate("localStorage.length + document.cookie.length"), 0);
  const tab = await page.context().newPage();
  await tab.goto(`${origin}/status`);
  t.ok(await tab.locator("#ask").isVisible(), "another tab asks for a key");
  await tab.close();

  t.same(complaints, []);
  // A question that is under way when the key is forgotten shows nothing any more.
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/status.json", async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  await page.reload();
  await page.getByText("Asking the service").waitFor();
  await page.getByRole("button", { name: "Forget the key" }).click();
  answer();
  await page.unroute("**/status.json");
  t.equal(await page.evaluate("sessionStorage.length"), 0);
  t.ok(await page.locator("#ask").isVisible());
  t.equal((await page.locator("main").innerText()).includes("listPets"), false, "nothing of it is left");

  await enter(page, operator);
  await page.locator("#tables table").first().waitFor();
  await store.keys.revoke("operator");
  await lookAgain(page);
  await page.getByText("The key is refused. The API key is not valid").waitFor();
  t.equal(await page.locator("#tables").innerText(), "", "what a key showed goes with it");
  await enter(page, "password");
  t.equal(await page.locator("#refused").innerText(), "This is no key: it begins with psk_.");
});

t.test("a service that is away keeps its last figures, and goes on when it is back", async (t) => {
  const settings = {
    DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`,
    PORT: `${await freePort()}`,
    LOG_LEVEL: "silent",
  };
  const key = petstore(settings, "keys", "create", "olivia", "--operator").stdout.trim();
  const server = await startServer(t, settings);
  const { page } = await openPage(t);
  await page.clock.install();
  await page.goto(new URL("/status", server.url).href);
  await enter(page, key);
  await page.locator("#tables table").first().waitFor();
  const unavailable = { code: "unavailable", message: "The database can't be reached. Try again.", status: 503 };
  await page.route("**/status.json", (route) => route.fulfill({ status: 503, json: unavailable }));
  await page.reload();
  await page.getByText("The service can't say: The database can't be reached. Try again. It is asked again").waitFor();
  // A balancer that has nobody to ask.
  await page.route("**/status.json", (route) => route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" }));
  await page.clock.fastForward(step);
  await page.getByText("The service does not answer. It is asked again").waitFor();
  // Who answers, but is no status: a newer service, say, that says it otherwise.
  await page.route("**/status.json", (route) => route.fulfill({ json: { at: "now" } }));
  await page.clock.fastForward(step);
  await page.getByText("The answer can't be shown: if the service is newer than this page, reload it. It is").waitFor();
  await page.unroute("**/status.json");
  await page.clock.fastForward(step);
  await page.locator("#tables table").first().waitFor();

  await server.end("SIGTERM");
  await page.clock.fastForward(step);
  await page.locator("#state.bad").waitFor();
  t.match(
    await page.locator("#state").innerText(),
    /^✗ The service does not answer\. The figures below are of \d\d:\d\d:\d\d\. It is asked again every 10 seconds\.$/,
  );
  t.equal((await rows(page, "Operations")).length > 3, true, "the last figures stay");
  await startServer(t, settings);
  await page.clock.fastForward(step);
  await page.locator("#state.well").waitFor();
});

t.test("who does not look asks nothing", async (t) => {
  const { origin, store } = await start(t);
  const { page } = await openPage(t);
  await page.clock.install();
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/status.json")) asked += 1;
  });
  await page.goto(`${origin}/status`);
  await enter(page, await addOperator(store));
  await page.locator("#tables table").first().waitFor();
  await setHidden(page, true);
  await page.clock.fastForward(10 * step);
  t.equal(asked, 1);
  const next = page.waitForResponse("**/status.json");
  await setHidden(page, false);
  await next;
  t.equal(asked, 2, "and is told at once when they look again");
});

t.test("light and dark, wide and on a phone, behind a gateway that adds a path", async (t) => {
  const document = edit(
    documentText,
    ["operationId: listPets", 'operationId: "<b>list</b>"'],
    [/x-successor: listPets/, 'x-successor: "<b>list</b>"'],
  );
  const { listPets, ...others } = handlers;
  const { origin, store } = await start(t, { document, handlers: { "<b>list</b>": listPets, ...others } });
  const { page, complaints } = await openPage(t, { viewport: { width: 390, height: 844 } });
  // The gateway takes the path off again. A day of calls is not waited for: the real answer, with an hour of them.
  let more: string[] = [];
  await page.route(`${origin}/shop/**`, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace("/shop/", "/") });
    if (!route.request().url().endsWith("/status.json")) return route.fulfill({ response });
    await route.fulfill({ json: fill(await response.json(), more) });
  });
  await page.goto(`${origin}/shop/status`);
  await enter(page, await addOperator(store));
  await page.locator(".plot canvas").first().waitFor();
  t.match((await rows(page, "Operations"))[0], /^<b>list<\/b>\tGET \/pets\t/, "an operation's name is text");

  const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
  const width = async () => (await page.locator("canvas").first().boundingBox())?.width ?? 0;
  const place = folder(t);
  for (const size of [390, 320, 1_280, 1_920, 390]) {
    await page.setViewportSize({ width: size, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      t.equal(await drawn(page), 8, `all is drawn, ${colorScheme}`);
      t.equal(await overflow(), 0, `no scrolling sideways at ${size}`);
      t.same(await tooFaint(page), [], "all text stands out from its ground (WCAG 2, 1.4.3)");
      await page.screenshot({
        path: join(process.env.SCREENSHOTS ?? place, `${size}-${colorScheme}.png`),
        fullPage: true,
      });
    }
  }
  t.ok((await width()) > 250, "a plot takes the width of a phone");
  more = ["feedPet"];
  await lookAgain(page);
  await page.locator(".legend", { hasText: "feedPet" }).first().waitFor();
  t.equal(await page.locator("canvas").count(), 8, "an operation that is new has its line");
  t.same(complaints, []);
});

t.test("the figures in words", async (t) => {
  const operation = { method: "GET", path: "/pets", rate: [1], p50: [2], p99: [null] };
  const now = { rate: 1, failed: 0, p50: 0.8, p99: null };
  const keys = [{ name: "", calls: 3, last: "2026-11-21" }];
  const going = { operation: "getPet", sunset: "2030-12-05", daysLeft: 1475, successor: "/pets", calls: 3, keys };
  const status: Status = {
    at: "2026-11-21T16:40:00.000Z",
    service: {
      version: "1.0.0",
      contract: "1.1.0",
      started: "2026-11-21T15:00:00.000Z",
      workers: 4,
      store: "postgresql",
      reachable: true,
    },
    step: 10,
    times: [1_795_278_000],
    operations: [{ ...operation, id: "listPets", now }],
    refused: [1],
    failed: [0],
    store: { p50: [1], p99: [1234], pool: { used: 1, waiting: 2, size: 10 } },
    process: { memory: [123_456_789], delay: [0], inFlight: [12] },
    keys: [],
    deprecated: [going],
  };
  const ends = (daysLeft: number | null, callers = keys) => ({
    ...status,
    deprecated: [{ ...going, daysLeft, keys: callers }],
  });
  const fine = "All is well: the store is reachable, and no call failed in the last minute.";
  const but = "Else all is well: the store is reachable, and no call failed in the last minute.";
  t.same(judge(status), { state: "well", text: `${fine} getPet goes in 1,475 days.` });
  t.same(judge(ends(null)), { state: "well", text: fine });
  t.same(judge(ends(1)), {
    state: "soon",
    text: `getPet goes in 1 day, and 1 key called it in the last 30 days. ${but}`,
  });
  t.same(judge(ends(-2, [...keys, ...keys])), {
    state: "soon",
    text: `getPet is 2 days past its sunset, and 2 keys called it in the last 30 days. ${but}`,
  });
  t.same(judge(ends(0)), {
    state: "soon",
    text: `getPet may go now, and 1 key called it in the last 30 days. ${but}`,
  });
  t.same(judge(ends(1, [])), { state: "well", text: `${fine} getPet goes in 1 day.` });
  const past = { ...going, daysLeft: -1, keys: [] };
  t.same(judge({ ...status, deprecated: [{ ...past, operation: "feedPet", daysLeft: -1200 }, past, going] }), {
    state: "well",
    text: `${fine} feedPet is 1,200 days past its sunset. getPet is 1 day past its sunset.`,
  });
  t.same(judge({ ...status, deprecated: [past, { ...going, operation: "feedPet", daysLeft: 3 }] }), {
    state: "soon",
    text: `feedPet goes in 3 days, and 1 key called it in the last 30 days. ${but} getPet is 1 day past its sunset.`,
  });
  const unread = { ...status, deprecated: null };
  t.same(judge(unread), { state: "soon", text: `What is deprecated could not be read. ${but}` });
  t.same(judge({ ...unread, service: { ...status.service, reachable: false } }), {
    state: "bad",
    text: "The store can't be reached.",
  });
  t.same(
    toTables(unread)
      .slice(2)
      .map(({ none }) => none),
    ["What is deprecated could not be read.", "Who called what is deprecated could not be read."],
  );
  const failing = { ...ends(1), operations: [{ ...operation, id: "listPets", now: { ...now, failed: 0.25 } }] };
  const away = { ...failing, service: { ...status.service, reachable: false } };
  t.same(judge(away), {
    state: "bad",
    text: "The store can't be reached. Calls failed (5xx) in the last minute: listPets 0.25 /s. getPet goes in 1 day, and 1 key called it in the last 30 days.",
  });
  t.equal(
    describeService(status, (date) => date.toISOString()),
    "version 1.0.0, contract 1.1.0, PostgreSQL, 4 processes, since 2026-11-21T15:00:00.000Z",
  );
  t.same(Object.fromEntries(toFigures(status)), {
    Requests: "1 /s",
    "Failed (5xx)": "0 /s",
    "Refused (4xx)": "1 /s",
    "Store, p99": "1.23 s",
    Memory: "123 MB",
    "Event loop delay": "0 ms",
    "In flight": "12",
    "Connections (waiting)": "1 of 10 (2)",
  });
  const [requests, , , p99, , , delay] = toCharts(status).map((chart) => summarize(chart, status.times));
  t.match(requests, /^Highest: 1 \/s at \d\d:\d\d\.$/);
  t.equal(p99, "No calls in the last hour.");
  t.equal(delay, "No delay in the last hour.");
  const begun = { ...status, times: [], process: { memory: [], delay: [], inFlight: [] }, refused: [] };
  t.match(Object.fromEntries(toFigures(begun)), { Memory: "–", "Refused (4xx)": "0 /s" }, "before the first point");
  const [, , deprecated, callers] = toTables({
    ...status,
    deprecated: [{ ...going, sunset: null, daysLeft: null, successor: null }],
  });
  t.same(deprecated?.rows, [["getPet", "not said", "–", "–", "3"]]);
  t.same(toTables(ends(-5))[2]?.rows, [["getPet", "2030-12-05", "/pets", "-5", "3"]]);
  t.same(callers?.rows, [["getPet", "(no key)", "2026-11-21", "3"]]);
});

t.test("petstore status", async (t) => {
  const path = join(folder(t), "petstore.db");
  const settings = { DATABASE_URL: `sqlite:${path}`, LOG_LEVEL: "silent", NO_COLOR: "1" };
  const keys = ["olivia", "bob"].map((name) =>
    petstore(settings, "keys", "create", name, ...(name === "olivia" ? ["--operator"] : [])).stdout.trim(),
  );
  const [operator = "", client = ""] = keys;
  const { url } = await startServer(t, settings);
  const { origin, port } = new URL(url);
  for (let n = 0; n < 3; n++) await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${client}` } });
  const status = (environment: Record<string, string>, ...args: string[]) =>
    petstore({ ...settings, ...environment }, "status", ...args);

  const shown = status({ OPERATOR_KEY: operator, PORT: port, HOST: "0.0.0.0" });
  t.match(shown, { status: 0, stderr: "" }, "it asks where a service of the same settings listens");
  t.match(
    shown.stdout,
    /^Pet Store version 1\.0\.0, contract 1\.1\.0, SQLite, 1 process, since 20\d\d-\d\d-\d\d \d\d:\d\dZ\n\nAll is well/,
  );
  t.match(
    shown.stdout,
    /^OPERATION +PATH +CALLS \/S +FAILED \/S +P50, MS +P99, MS\nlistPets +GET \/pets +[\d.]+ +0 +[\d.]+ +[\d.]+$/m,
  );
  t.match(shown.stdout, /^bob +3 +[\d.]+$/m);
  t.match(shown.stdout, /^Nobody called a deprecated operation in the last 30 days\.$/m);
  const json = JSON.parse(status({ OPERATOR_KEY: operator }, `${origin}/`, "--json").stdout);
  t.match(json, { service: { workers: 1, reachable: true }, step: 10, keys: [{ name: "bob", calls: 3 }] });

  const refuses = (environment: Record<string, string>, stderr: RegExp, ...args: string[]) =>
    t.match(status(environment, ...args), {
      status: 1,
      stdout: "",
      stderr: new RegExp(`^petstore: ${stderr.source}\\n$`),
    });
  refuses({}, /OPERATOR_KEY is not set: make a key with petstore keys create NAME --operator, and put it there\./);
  refuses(
    { OPERATOR_KEY: client },
    /\S+\/status\.json refuses the key of OPERATOR_KEY: The API key is not an operator's.*/,
    origin,
  );
  refuses({ OPERATOR_KEY: makeKey().key }, /\S+ refuses the key of OPERATOR_KEY: The API key is not valid.*/, origin);
  refuses({ OPERATOR_KEY: operator }, /\S+\/v1\/status\.json is no status of a Pet Store \(404\): .*/, url);
  refuses({ OPERATOR_KEY: operator }, /The service must be an http or https URL, .*/, "127.0.0.1:3000");
  refuses({ OPERATOR_KEY: operator }, /The service must be an http or https URL, .*/, "http://me:word@127.0.0.1");
  refuses(
    { OPERATOR_KEY: operator, HOST: "::", PORT: "1", TLS_CERT: "cert.pem" },
    /Nothing answers at https:\/\/\[::1\]:1\/status\.json: E[A-Z]+\./,
  );
  t.match(
    status({ OPERATOR_KEY: operator }, `http://0.0.0.0:${port}`),
    { status: 0, stderr: "petstore: the key goes to 0.0.0.0 unencrypted\n" },
    "by what may be a network",
  );
  const free = `${await freePort()}`;
  refuses(
    { OPERATOR_KEY: operator, PORT: free },
    /Nothing answers at http:\/\/127\.0\.0\.1:\d+\/status\.json: ECONNREFUSED\./,
  );

  // What SQLite goes on to write there would be gone: the store is not what it was.
  rmSync(path);
  const lost = status({ OPERATOR_KEY: operator }, origin);
  t.match(lost, { status: 1, stdout: /^The store can't be reached\.$/m }, "for scripts, that is no success");
});

t.test("petstore status looks for the name of BASE_URL in the certificate of the service", async (t) => {
  const { files } = await certify(t, 1); // for localhost
  const settings = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`, LOG_LEVEL: "silent", ...files };
  const OPERATOR_KEY = petstore(settings, "keys", "create", "olivia", "--operator").stdout.trim();
  const { url } = await startServer(t, settings);
  const { port: PORT } = new URL(url);
  const trusting = { ...settings, OPERATOR_KEY, PORT, NODE_EXTRA_CA_CERTS: files.TLS_CERT };
  const local = { ...trusting, BASE_URL: "https://localhost/v1" };
  t.match(petstore(local, "status"), { status: 0, stdout: /^All is well/m, stderr: "" });
  t.match(petstore(trusting, "status", `https://localhost:${PORT}`), { status: 0, stderr: "" });

  const wrong = (name: string) =>
    `petstore: The certificate at https://127.0.0.1:${PORT}/status.json is not for ${name}: give the URL that it is for.\n`;
  const refuses = (environment: Record<string, string>, stderr: string, ...args: string[]) =>
    t.match(petstore(environment, "status", ...args), { status: 1, stdout: "", stderr });
  refuses(trusting, wrong("127.0.0.1"));
  refuses({ ...trusting, BASE_URL: "http://localhost/v1" }, wrong("127.0.0.1"));
  refuses({ ...trusting, BASE_URL: "https://pets.example/v1" }, wrong("pets.example"));
  refuses(local, wrong("127.0.0.1"), `https://127.0.0.1:${PORT}`);
  refuses({ ...local, NODE_EXTRA_CA_CERTS: "" }, "status.json: DEPTH_ZERO_SELF_SIGNED_CERT.\n");
});

t.test("petstore status says which sunset is past", async (t) => {
  const document = edit(
    documentText,
    [/x-deprecated-since: \S+/, "x-deprecated-since: 2020-01-01"],
    [/x-sunset: \S+/, "x-sunset: 2020-12-05"],
  );
  const { origin, store } = await start(t, { document });
  const shown = await petstoreAside({ OPERATOR_KEY: await addOperator(store) }, "status", origin);
  t.match(shown, /^All is well: .* getPet is \d,\d{3} days past its sunset\.$/m);
  t.match(shown, /^getPet +2020-12-05 +\/pets +-\d,\d{3} +0$/m);
});

t.test("petstore status lets what listens there neither command the terminal nor show the key", async (t) => {
  let answer = { status: 200, body: "" };
  const server = createServer((_, response) =>
    response.writeHead(answer.status, { location: "/elsewhere" }).end(answer.body),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { key } = makeKey();
  const wrong = "is no status of a Pet Store (200)";
  const operator = await start(t);
  const real = await fetch(`${operator.origin}/status.json`, {
    headers: { authorization: `Bearer ${await addOperator(operator.store)}` },
  });
  const good = await real.text();
  for (const [status, body, said] of [
    [200, "hello", wrong],
    [200, "null", wrong],
    [200, '{"service":{"reachable":true}}', wrong],
    [200, edit(good, ['"started":"2', '"started":"X']), wrong],
    [200, edit(good, ['"workers":1', '"workers":"1"']), wrong],
    [200, edit(good, ['"workers":1', '"workers":1,"workers":1']), wrong],
    [302, "", "is no status of a Pet Store (302)"],
    [401, "", "refuses the key of OPERATOR_KEY: it does not say why"],
    [
      401,
      JSON.stringify({ message: `no \x1b[31m\r\x9b\n${key.slice(0, 9)}\x7f${key.slice(9)}` }),
      "refuses the key of OPERATOR_KEY: no psk_…",
    ],
    [503, JSON.stringify({ message: "The database can't be reached." }), "can't say: The database can't be reached."],
  ] as const) {
    answer = { status, body };
    t.match(await refusal(port, key), `petstore: http://127.0.0.1:${port}/status.json ${said}`);
  }

  const odd = `a\x1b]0;title\x07b\x00\r\n\x7f\x9b2J${key}`;
  const name = JSON.stringify({ name: odd, calls: 1, rate: 0 });
  const body = edit(
    good,
    ['"keys":[', `"keys":[${name},`],
    ['"step":10', '"step":10,"more":9007199254740993'],
    [/"version":"[^"]*"/, `"version":${JSON.stringify(odd)}`],
  );
  answer = { status: 200, body };
  const show = async (...args: string[]) =>
    `${await petstoreAside({ OPERATOR_KEY: key }, "status", `http://127.0.0.1:${port}`, ...args)}`;
  const shown = await show();
  t.match(shown, /^Pet Store version abpsk_…, contract /);
  t.match(shown, /^abpsk_… +1 +0$/m);
  const json = await show("--json");
  t.match(json, '"more": 9007199254740993');
  t.match(JSON.parse(json).keys, [{ name: odd.replace(key, "psk_…"), calls: 1 }], "as it was, but for the key");
  for (const text of [shown, json]) {
    t.notMatch(text, /(?!\n)\p{Cc}/u);
    t.notOk(text.includes(key.slice(4)));
  }
});

async function addOperator(store: Store): Promise<string> {
  const { key, hash } = makeKey();
  await store.keys.create("operator", hash, { operator: true });
  return key;
}

async function enter(page: Page, key: string): Promise<void> {
  await page.getByLabel("The key of an operator").fill(key);
  await page.keyboard.press("Enter");
}

/** The rows of the table below a heading, each with a tab between its cells. */
function rows(page: Page, heading: string): Promise<string[]> {
  const section = page.locator("section", { has: page.getByRole("heading", { name: heading }) });
  return section.locator("tbody tr").allInnerTexts();
}

/** Lets the page ask now, as if somebody looked at it again. */
async function lookAgain(page: Page): Promise<void> {
  await setHidden(page, false);
}

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, value: ${hidden} });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}

/** What petstore status says, in one line, of what listens at a port of this process. */
async function refusal(port: number, key: string): Promise<string> {
  const command = [new URL("../src/bin.js", import.meta.url).pathname, "status", `http://127.0.0.1:${port}`];
  const env = { ...process.env, OPERATOR_KEY: key };
  const { code, stderr } = await promisify(execFile)(process.execPath, command, { env }).catch((error) => error);
  return code === 1 && stderr.split("\n").length === 2 ? stderr : `${code}: ${stderr}`;
}

/** The answer as it would be after an hour of calls, and after `more` operations came. */
function fill(status: Status, more: readonly string[]): Status {
  const end = Math.floor(Date.now() / 1_000);
  const times = Array.from({ length: 361 }, (_, index) => end - (360 - index) * 10);
  const wave = (height: number) => times.map((_, index) => height * (1.5 + Math.sin(index / 20)));
  const gaps = (height: number) => wave(height).map((value, index) => (index % 90 > 80 && index % 2 ? null : value));
  const [first] = status.operations;
  const operations = [...status.operations, ...more.map((id) => ({ ...(first as Status["operations"][number]), id }))];
  return {
    ...status,
    times,
    operations: operations.map((one, index) => ({
      ...one,
      rate: wave(index + 1),
      p50: gaps(index + 1),
      p99: gaps(4 * index + 3),
    })),
    refused: wave(0.2),
    failed: wave(0.1),
    store: { p50: gaps(0.4), p99: gaps(3), pool: { used: 3, waiting: 0, size: 10 } },
    process: { memory: wave(1e8), delay: wave(2), inFlight: wave(3).map(Math.round) },
    keys: ["alice", "a".repeat(64)].map((name) => ({ name, calls: 12_345, rate: 2.5 })),
  };
}

// What follows runs in the page, whose types this project does not have here.

/** How many plots have lines, in the first colours of the present scheme: all that are seen, or it says of how many. */
async function drawn(page: Page): Promise<number | string> {
  for (let tries = 0; ; tries++) {
    const plots = await page.evaluate<boolean[]>(havePlots);
    const lines = plots.filter(Boolean).length;
    if (lines === plots.length) return lines;
    if (tries === 100) return `${lines} of ${plots.length}`;
    await page.waitForTimeout(20); // a change of size or colour is drawn with a frame to come
  }
}

const havePlots = `(() => {
    const style = getComputedStyle(document.documentElement);
    const colours = ["--line-1", "--line-2"].map((name) =>
      style.getPropertyValue(name).match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16)));
    const hasLine = (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const isLine = (at) => data[at + 3] > 200
        && colours.some((colour) => colour.every((part, index) => Math.abs(part - data[at + index]) < 24));
      let count = 0;
      for (let at = 0; at < data.length; at += 4) if (isLine(at)) count += 1;
      return count > 3;
    };
    const canvases = [...document.querySelectorAll("canvas")].filter((canvas) => canvas.clientWidth > 0);
    return canvases.map(hasLine);
  })()`;

/** What is written with less contrast than 4.5 to 1. */
function tooFaint(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (colour) => parts(colour).slice(0, 3)
      .map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const ground = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      return parts(backgroundColor)[3] === 0 ? ground(element.parentElement) : backgroundColor;
    };
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.offsetParent && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      .map((element) => {
        const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
        return { text: element.textContent, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) };
      })
      .filter(({ ratio }) => ratio < 4.5)
      .map(({ text, ratio }) => ratio.toFixed(1) + " " + text);
  })()`);
}
