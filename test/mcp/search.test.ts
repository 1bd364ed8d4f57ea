// A document with many operations: agents search, describe and call them.
import { join } from "node:path";
import t from "tap";
import { startAgents } from "../support/agents.ts";
import { documentOf } from "../support/document-server.ts";
import { root, writeFiles } from "../support/files.ts";

const document = join(root, "node_modules/@readme/oas-examples/3.0/json/star-trek.json");

t.test("More than 40 operations are searched, described and called", async (t) => {
  const { connect } = await startAgents(t, { document, mock: true });
  const { tools, call } = await connect();
  t.same(
    tools.map(({ name }) => name),
    ["search_operations", "describe_operation", "call_operation"],
  );
  const search = async (query: string) => {
    const { found, operations } = JSON.parse((await call("search_operations", { query })).text);
    return { found, ids: operations.map(({ operationId }: { operationId: string }) => operationId) as string[] };
  };
  const { found, ids } = await search("search for spacecraft classes");
  t.match(ids[0], /^(get|post)SpacecraftClassSearch$/);
  t.equal(ids.length, 10);
  t.ok(found > 10);
  t.same(await search("zzz"), { found: 0, ids: [] });
  const described = await call("describe_operation", { operationId: "getSpacecraft" });
  t.match(JSON.parse(described.text), {
    name: "getSpacecraft",
    inputSchema: { properties: { uid: { type: "string" } } },
    outputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  });
  t.ok(described.text.length < 45_000);
  const called = await call("call_operation", { operationId: "getSpacecraft", arguments: { uid: "SRMA1" } });
  t.notOk(called.isError, called.text);
  t.ok(JSON.parse(called.text).spacecraft);
  t.match(await call("call_operation", { operationId: "getSpacecraft" }), { isError: true });
  t.match(await call("call_operation", { operationId: "nothing" }), { isError: true, text: /no operation "nothing"/ });
  t.match(await call("call_operation", { operationId: "getSpacecraft", arguments: "x" }), { isError: true });
});

t.test("Included operations of such a document are tools, if they are few", async (t) => {
  const { connect } = await startAgents(t, { document, mock: true, mcp: { include: ["getSpacecraft", "Food"] } });
  const names = (await connect()).tools.map(({ name }) => name);
  t.ok(names.includes("getSpacecraft") && names.includes("getFood") && names.length < 10, names.join());
});

t.test("The words of operations are found once, for all searches", async (t) => {
  const description = "Lists what is there, in its order, with all that belongs to it. ".repeat(15);
  const paths = Array.from(
    { length: 1_000 },
    (_, index) =>
      `  /things${index}: { get: { operationId: listThings${index}, description: "${description}", responses: { 204: { description: x } } } }\n`,
  );
  const { connect } = await startAgents(t, {
    document: writeFiles(t, { "a.yaml": documentOf(paths.join("")) }),
    mock: true,
  });
  const { call } = await connect();
  const search = async (query: string) => JSON.parse((await call("search_operations", { query })).text);
  const start = performance.now();
  t.match(await search("things 7"), { found: 1_000 });
  const first = performance.now() - start;
  for (let count = 0; count < 20; count++) t.match(await search(`list thing ${count}`), { found: 1_000 });
  const average = (performance.now() - start - first) / 20;
  t.ok(average < first / 2, `${average} ms, and the first ${first} ms`);
  t.match(await call("call_operation", { operationId: "x".repeat(900_000) }), { isError: true, text: /^.{1,200}$/ });
  const long = `${"none ".repeat(100_000)} things`;
  t.match(await search(long), { found: 0 });
});
