// Documents as common generators write them: names of parameters, envelopes, and bodies of changes.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string, type = "application/json") => `content: { ${type}: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const id = (schema = "{ type: integer }") => `parameters: [{ name: id, in: path, required: true, schema: ${schema} }]`;
const query = (...parameters: string[]) =>
  `parameters: [${parameters.map((one) => `{ name: "${one.split(" ")[0]}", in: query, schema: ${one.slice(one.indexOf(" ") + 1)} }`)}]`;

/** The paths of a collection: its list with parameters, and what else a record has. */
const collection = (
  name: string,
  schema: string,
  { list = "", create = `New${schema}`, item = "", key = "{ type: integer }" },
) =>
  `  /${name}:
    get: { operationId: list${schema}, ${list}${list && ", "}${ok(`{ type: array, items: ${ref(schema)} }`)} }
    post: { operationId: add${schema}, ${body(ref(create))}, ${ok(ref(schema), 201)} }
  /${name}/{id}:
    ${id(key)}
    get: { operationId: get${schema}, ${ok(ref(schema))} }
${item}`;

const nullable = "{ anyOf: [{ type: string, enum: [a, b] }, { type: 'null' }] }";
const vehicles = documentOf(
  collection("vehicles", "Vehicle", {
    list: query(`kind ${nullable}`, "OwnerName { type: string }", "first { type: integer }", "max { type: integer }"),
    item: `    put: { operationId: putVehicle, ${body(ref("ChangedVehicle"))}, ${ok(ref("Vehicle"))} }
    patch: { operationId: changeVehicle, ${body(ref("ChangedVehicle"))}, ${ok(ref("Vehicle"))} }
`,
  }),
  `components:
  schemas:
    NewVehicle: { type: object, required: [plate], properties: { plate: { type: string }, kind: ${nullable}, ownerName: { type: [string, "null"] }, mileage: { type: integer } } }
    ChangedVehicle: { type: object, properties: { plate: { type: string }, kind: ${nullable}, ownerName: { type: [string, "null"] }, mileage: { type: integer } } }
    Vehicle: { type: object, required: [id, plate], properties: { id: { type: integer }, plate: { type: string }, kind: ${nullable}, ownerName: { type: [string, "null"] }, mileage: { type: integer }, state: { type: string, default: parked } } }
`,
);

testLikely("parameters with null, in other cases, and first with max", vehicles, async (t, send) => {
  for (const plate of ["1", "2", "3"]) await send("POST", "/vehicles", { plate, kind: plate === "2" ? "b" : "a" });
  await send("POST", "/vehicles", { plate: "4", ownerName: "Ann" });
  const platesOf = async (search: string) =>
    (await send("GET", `/vehicles?${search}`)).body.map(({ plate }: { plate: string }) => plate);
  t.same(await platesOf("kind=b"), ["2"]);
  t.same(await platesOf("OwnerName=Ann"), ["4"]);
  t.same(await platesOf("first=1&max=2"), ["2", "3"]);
});

testLikely("a PUT that requires nothing of what the POST requires keeps the rest", vehicles, async (t, send) => {
  const { body } = await send("POST", "/vehicles", { plate: "1", kind: "a" });
  t.equal(body.state, "parked", "the default of a response");
  t.same((await send("PUT", "/vehicles/1", { mileage: 5 })).body, { ...body, mileage: 5 });
});

testLikely("null in a JSON body is the value of a property that allows it", vehicles, async (t, send) => {
  await send("POST", "/vehicles", { plate: "1", ownerName: "Ann" });
  t.match((await send("PATCH", "/vehicles/1", { ownerName: null })).body, { ownerName: null });
});

const uuid = "{ type: string, format: uuid }";
const time = "{ type: string, format: date-time, readOnly: true }";
const articles = documentOf(
  collection("articles", "Article", {
    list: query("filter[status] { type: string }", "page[number] { type: integer }", "page[size] { type: integer }"),
    create: "Article",
    key: uuid,
    item: `    patch: { operationId: changeArticle, ${body(ref("Article"))}, ${ok(ref("Article"))} }
`,
  }),
  `components:
  schemas:
    Article:
      type: object
      required: [id, attributes]
      properties:
        id: { type: string, format: uuid, readOnly: true }
        attributes: { type: object, required: [title, createdAt], properties: { title: { type: string }, status: { type: string }, createdAt: ${time}, updatedAt: ${time} } }
`,
);

testLikely("filters, pages and times of JSON:API", articles, async (t, send) => {
  for (const title of ["a", "b", "c"])
    await send("POST", "/articles", { attributes: { title, status: title === "b" ? "draft" : "done" } });
  const titlesOf = async (search: string) =>
    (await send("GET", `/articles?${search}`)).body.map(
      (one: { attributes: { title: string } }) => one.attributes.title,
    );
  t.same(await titlesOf("filter[status]=draft"), ["b"]);
  t.same(await titlesOf("page[number]=2&page[size]=2"), ["c"]);
  const { body } = await send("POST", "/articles", { attributes: { title: "d" } });
  t.ok(Date.parse(body.attributes.createdAt) > Date.now() - 60_000, body.attributes.createdAt);
  const changed = await send("PATCH", `/articles/${body.id}`, { attributes: { title: "e" } });
  t.match(changed.body.attributes, { title: "e", createdAt: body.attributes.createdAt });
});

const links = "{ type: object, properties: { self: { type: object, properties: { href: { type: string } } } } }";
const hal = (schema: string) => json(schema, "application/hal+json");
const products = documentOf(
  `  /products:
    get: { operationId: listProducts, responses: { 200: { description: x, ${hal("{ type: object, properties: { _embedded: { type: object, properties: { products: { type: array, items: { $ref: '#/components/schemas/Product' } } } }, page: { type: object, properties: { totalElements: { type: integer } } } } }")} } } }
    post: { operationId: addProduct, ${body("{ type: object, properties: { name: { type: string } } }")}, responses: { 201: { description: x, ${hal(ref("Product"))} } } }
  /products/{id}:
    ${id()}
    get: { operationId: getProduct, responses: { 200: { description: x, ${hal(ref("Product"))} } } }
  /numbers:
    post: { operationId: addNumber, ${body("{ type: object, properties: { name: { type: string } } }")}, ${ok("{ type: integer }")} }
  /numbers/{id}:
    ${id()}
    get: { operationId: getNumber, ${ok(ref("Number"))} }
`,
  `components:
  schemas:
    Product: { type: object, properties: { name: { type: string }, _links: ${links} } }
    Number: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
`,
);

testLikely("HAL: records without an id, in _embedded", products, async (t, send) => {
  const first = await send("POST", "/products", { name: "a" });
  const second = await send("POST", "/products", { name: "a" });
  t.equal(second.status, 201, "the name is no id");
  t.not(first.headers.location, second.headers.location);
  t.same((await send("GET", second.headers.location as string)).body, second.body);
  t.same((await send("GET", "/products")).body, {
    _embedded: { products: [first.body, second.body] },
    page: { totalElements: 2 },
  });
});

const orders = documentOf(
  `  /orders:
    get: { operationId: listOrders, ${query("category { type: string }", "status { type: string, enum: [open, closed, all], default: open }", "state { type: array, items: { type: string } }")}, ${ok(`{ type: array, items: ${ref("Order")} }`)} }
    post: { operationId: addOrder, ${body(ref("NewOrder"))}, ${ok("{ type: object, properties: { message: { type: string }, orderId: { type: integer } } }", 201)} }
  /orders/{orderId}:
    parameters: [{ name: orderId, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getOrder, ${ok(ref("Order"))} }
  /countries:
    get: { operationId: listCountries, responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: ${ref("Country")} }, example: [{ code: DE, name: Germany }] } } } } }
  /me: { get: { operationId: getMe, ${ok(ref("User"))} } }
`,
  `components:
  schemas:
    NewOrder: { type: object, properties: { categories: { type: array, items: { type: string } }, status: { type: string, enum: [open, closed] } } }
    Order: { type: object, required: [id], properties: { id: { type: integer }, state: { type: string }, categories: { type: array, items: { type: string } }, status: { type: string, enum: [open, closed] } } }
    Country: { type: object, required: [code, name], properties: { code: { type: string }, name: { type: string } } }
    User: { type: object, properties: { name: { type: string } } }
`,
);

testLikely(
  "a command returns its id, and a list selects all by a value that no record has",
  orders,
  async (t, send) => {
    t.same((await send("POST", "/orders", { categories: ["a"] })).body, { orderId: 1 });
    await send("POST", "/orders", { status: "closed" });
    const idsOf = async (search: string) =>
      (await send("GET", `/orders?${search}`)).body.map(({ id }: { id: number }) => id);
    t.same(await idsOf(""), [1], "a new record is in the list that is the default");
    t.same(await idsOf("status=all"), [1, 2]);
    t.same(await idsOf("status=all&category=a"), [1]);
    t.same(await idsOf("status=all&state=x"), [], "an array with one value");
    t.same(await idsOf("status=all&state=x&state=y"), [], "and with several");
    for (const path of ["/countries", "/me"])
      t.match(await send("GET", path), { status: 501, body: { message: /Import them/ } }, path);
  },
);

testLikely("a POST returns the id alone", products, async (t, send) => {
  t.equal((await send("POST", "/numbers", { name: "a" })).body, 1);
  t.same((await send("GET", "/numbers/1")).body, { id: 1, name: "a" });
});

const topics = documentOf(
  `  /topics:
    post: { operationId: addTopic, ${query("topicId { type: string }")}, ${body(ref("Topic"))}, ${ok(ref("Topic"))} }
  /topics/{topic}:
    parameters: [{ name: topic, in: path, required: true, schema: { type: string } }]
    get: { operationId: getTopic, ${ok(ref("Topic"))} }
    patch: { operationId: changeTopic, ${query("updateMask { type: string }")}, ${body(ref("Topic"))}, ${ok(ref("Topic"))} }
`,
  `components:
  schemas:
    Topic: { type: object, properties: { name: { type: string, readOnly: true }, displayName: { type: string }, labels: { type: object, properties: { a: { type: string }, b: { type: string } } }, createTime: ${time} } }
`,
);

testLikely("AIP: the id of a query, and a field mask", topics, async (t, send) => {
  const add = () => send("POST", "/topics?topicId=t1", { displayName: "A", labels: { a: "1", b: "2" } });
  const { status, body } = await add();
  t.match({ status, body }, { status: 200, body: { name: "t1", displayName: "A" } });
  t.ok(body.createTime);
  t.match(await add(), { status: 409 });
  const change = (mask: string, patch: object) => send("PATCH", `/topics/t1?updateMask=${mask}`, patch);
  t.same((await change("labels.b", { displayName: "B", labels: { a: "3", b: "4" } })).body, {
    ...body,
    labels: { a: "1", b: "4" },
  });
  t.same((await change("labels.b", {})).body.labels, { a: "1" }, "and not the members beside it");
  t.same((await change("", { displayName: "B" })).body.displayName, "B", "an empty mask has all");
  const { displayName: _, ...others } = (await send("GET", "/topics/t1")).body;
  t.same((await change("display_name", {})).body, others, "what the body does not have is removed");
  t.match(await change("other", {}), { status: 400, body: { message: /has other, which is no property/ } });
});

const header = (name: string) => `{ name: ${name}, in: header, schema: { type: string } }`;
const posts = documentOf(
  `  /posts:
    get: { operationId: listPosts, ${query("first { type: integer }", "after { type: string }")}, ${ok(`{ type: array, items: ${ref("Post")} }`)} }
    post: { operationId: addPost, parameters: [${header("X-Request-Id")}, ${header("X-Continuation-Token")}, ${header("X-Api-Key")}, ${header("X-API-SECRET")}, ${header("X-Requested-With")}, ${header("revision")}], ${body(ref("NewPost"))}, ${ok(ref("Post"), 201)} }
  /posts/{id}:
    ${id()}
    get: { operationId: getPost, ${ok(ref("Post"))} }
`,
  `components:
  schemas:
    NewPost: { type: object, properties: { text: { type: string } } }
    Post: { type: object, required: [id], properties: { id: { type: integer }, text: { type: string } } }
`,
);

testLikely("first is a limit beside after, and only headers without an effect are ignored", posts, async (t, send) => {
  const add = (headers: Readonly<Record<string, string>>) => send("POST", "/posts", {}, "application/json", headers);
  const neutral = {
    "x-request-id": "a",
    "x-api-key": "b",
    "x-api-secret": "c",
    "x-requested-with": "d",
    revision: "1",
  };
  for (const _ of [1, 2]) t.match(await add(neutral), { status: 201 });
  t.match(await add({ "x-continuation-token": "c" }), { status: 501 }, "it can select a page");
  const { body: page, headers } = await send("GET", "/posts?first=1");
  t.same(page, [{ id: 1 }]);
  const [, next = ""] = /<([^>]*)>; rel="next"/.exec(`${headers.link}`) ?? [];
  t.same((await send("GET", next)).body, [{ id: 2 }]);
});
