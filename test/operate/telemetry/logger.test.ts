// The line that is logged for each request.
import t from "tap";
import { start } from "../../support/service.ts";

t.test("Cuts the paths of requests to 256 characters", async (t) => {
  const service = await start(t);
  const long = `/v1/pets/${"9".repeat(15_000)}`;
  await service.call("GET", long);
  await service.call("GET", `/${"a".repeat(255)}`);
  const paths = service.logs.filter(({ msg }) => msg === "request completed").map(({ path }) => path);
  t.same(paths, [`${long.slice(0, 256)}…`, `/${"a".repeat(255)}`]);
});
