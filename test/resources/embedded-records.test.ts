// Members that are other records, of which a request has the ids, such as the coupon of a promotion code.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const body = (name: string) => `requestBody: { required: true, ${json(ref(name))} }`;
const text = "{ type: string }";
const path = `parameters: [{ name: id, in: path, required: true, schema: ${text} }]`;
const object = (properties: string, required: string) =>
  `{ type: object, required: [${required}], properties: { ${properties} } }`;
const own = "id: { type: string, readOnly: true }";
const document = documentOf(
  `  /coupons:
    post: { operationId: addCoupon, ${body("Coupon")}, ${ok(ref("Coupon"), 201)} }
  /coupons/{id}:
    ${path}
    get: { operationId: getCoupon, ${ok(ref("Coupon"))} }
    patch: { operationId: changeCoupon, ${body("Coupon")}, ${ok(ref("Coupon"))} }
    delete: { operationId: deleteCoupon, responses: { 204: { description: x } } }
  /codes:
    get: { operationId: listCodes, ${ok(`{ type: array, items: ${ref("Code")} }`)} }
    post: { operationId: addCode, ${body("NewCode")}, ${ok(ref("Code"), 201)} }
  /codes/{id}:
    ${path}
    get: { operationId: getCode, responses: { 200: { description: x, headers: { ETag: { schema: ${text} } }, content: { application/json: { schema: ${ref("Code")} } } } } }
    put: { operationId: putCode, ${body("NewCode")}, ${ok(ref("Code"))} }
    patch: { operationId: changeCode, ${body("CodeChange")}, ${ok(ref("Code"))} }
`,
  `components:
  schemas:
    Coupon: ${object(`${own}, name: ${text}`, "id, name")}
    NewCode: ${object(`code: ${text}, coupon: ${text}, others: { type: array, items: ${text} }`, "code, coupon")}
    CodeChange: ${object(`code: ${text}, coupon: ${text}`, "")}
    Code: ${object(`${own}, code: ${text}, coupon: ${ref("Coupon")}, others: { type: array, items: ${ref("Coupon")} }`, "id, code, coupon")}
`,
);

testLikely("a record has the records whose ids were sent, as they are now", document, async (t, send) => {
  const [one, two] = await Promise.all(["a", "b"].map(async (name) => (await send("POST", "/coupons", { name })).body));
  const { status, body } = await send("POST", "/codes", { code: "X", coupon: one.id, others: [two.id, one.id] });
  t.match({ status, body }, { status: 201, body: { code: "X", coupon: one, others: [two, one] } });
  const get = async () => (await send("GET", `/codes/${body.id}`)).body;
  t.same(await get(), body);
  const renamed = (await send("PATCH", `/coupons/${one.id}`, { name: "c" })).body;
  t.match(await get(), { coupon: renamed, others: [two, renamed] });
  t.match((await send("GET", "/codes")).body, [{ coupon: renamed }]);
  t.match((await send("PATCH", `/codes/${body.id}`, { code: "Y" })).body, { code: "Y", coupon: renamed });
  t.match((await send("PATCH", `/codes/${body.id}`, { coupon: two.id })).body, { code: "Y", coupon: two });
  const replaced = (await send("PUT", `/codes/${body.id}`, { code: "Z", coupon: one.id })).body;
  t.same(replaced, { id: body.id, code: "Z", coupon: renamed });
  await send("DELETE", `/coupons/${one.id}`);
  t.match(await get(), { coupon: { id: one.id } }, "what was deleted stays as it was");
});

testLikely("the ETag of a record changes with those that are part of it", document, async (t, send) => {
  const coupon = (await send("POST", "/coupons", { name: "a" })).body;
  const { id } = (await send("POST", "/codes", { code: "X", coupon: coupon.id })).body;
  const tag = async () => `${(await send("GET", `/codes/${id}`)).headers.etag}`;
  const change = (etag: string) => send("PATCH", `/codes/${id}`, { code: "Y" }, undefined, { "if-match": etag });
  const before = await tag();
  await send("PATCH", `/coupons/${coupon.id}`, { name: "b" });
  t.match(await change(before), { status: 412 });
  t.match(await change(await tag()), { status: 200 });
});

testLikely("a request can't have the id of a record that does not exist", document, async (t, send) => {
  const wrong = { status: 400, body: { message: "No coupon has the id none." } };
  t.match(await send("POST", "/codes", { code: "X", coupon: "none" }), wrong);
  const { id } = (await send("POST", "/coupons", { name: "a" })).body;
  const code = (await send("POST", "/codes", { code: "X", coupon: id })).body;
  t.match(await send("PATCH", `/codes/${code.id}`, { coupon: "none" }), wrong);
  t.match(await send("PUT", `/codes/${code.id}`, { code: "X", coupon: "none" }), wrong);
  t.same((await send("GET", `/codes/${code.id}`)).body, code);
});

t.test("the plan says which records are those of other collections", async (t) => {
  const { operations } = planOf(await parseDocument(document));
  const { embedded, doubts } = operations.find(({ id }) => id === "addCode")?.does ?? {};
  t.same(embedded, { coupon: "coupons", others: "coupons" });
  t.match(doubts?.join(), /has the records of coupons whose ids a request has as coupon/);
});
