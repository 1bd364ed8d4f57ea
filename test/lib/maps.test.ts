import t from "tap";
import { getOrAdd } from "../../src/lib/maps.ts";

t.test("Creates the value of a key once", async (t) => {
  const names = new Map([["a", ["first"]]]);
  const create = () => ["created"];
  t.same(getOrAdd(names, "a", create), ["first"]);
  const created = getOrAdd(names, "b", create);
  t.same(created, ["created"]);
  t.equal(getOrAdd(names, "b", create), created);
  t.equal(names.get("b"), created);
});
