// Validates the traffic of the service with Prism, which is independent of the service.
import t from "tap";
import { type Change, editDocument, setOperation, setParameterSchema } from "../support/document.ts";
import { checkExamples } from "../support/examples.ts";
import { root } from "../support/files.ts";
import { startPrism } from "../support/prism.ts";
import type { HttpResponse } from "../support/responses.ts";
import { start } from "../support/service.ts";

t.test("Prism rejects requests and responses that the document does not allow", async (t) => {
  const { origin, port, key, create } = await start(t);
  await create({ name: "Rex", categoryId: 7 });
  const send = async (port: number, path: string): Promise<HttpResponse> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), text, body: undefined };
  };
  const through = async (...changes: Change[]) => {
    const prism = await startPrism(t, `${origin}/v1`, editDocument(...changes));
    return (path: string) => prism(send, port, path);
  };
  const strict = await through(
    ({ components }) => components.schemas.Pet.required.push("status"),
    setParameterSchema("listPets", "limit", { maximum: 10 }),
  );
  await t.rejects(strict("/v1/pets"), { message: /Prism rejects the response.*status/ }, "a response without a field");
  await t.rejects(strict("/v1/pets?limit=11"), {
    message: /Prism rejects the request .*limit=11.*accepts it with 200/,
  });
  const summary = setOperation("listPets", { summary: "List" });
  t.match(await (await through(summary))("/v1/pets"), { status: 200 }, "forwards all others");
});

t.test("Prism accepts the requests and responses of all examples", (t) => checkExamples(t, { prism: true }));

const args = ["--import", "./test/support/default-prism.ts", "test/interface.test.ts"];
t.setTimeout(240_000); // milliseconds
await t.spawn(process.execPath, args, { cwd: root, timeout: 240_000 }, "test/interface.test.ts through Prism");
