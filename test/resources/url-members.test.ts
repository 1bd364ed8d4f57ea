// The members of a new record that follow from the document: its URLs, defaults that a description says, and those of filters.
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (name: string) => `content: { application/json: { schema: ${name} } }`;
const issue = '{ $ref: "#/components/schemas/Issue" }';
const created = `responses: { 201: { description: x, ${json(issue)} } }`;
const body = `requestBody: { required: true, ${json('{ $ref: "#/components/schemas/NewIssue" }')} }`;
const uri = "{ type: string, format: uri }";
const link = `{ type: object, required: [href], properties: { href: ${uri} } }`;
const document = documentOf(
  `  /repos/{repo}/issues:
    parameters: [{ name: repo, in: path, required: true, schema: { type: string } }]
    get:
      operationId: listIssues
      parameters: [{ name: state, in: query, schema: { type: string, enum: [open, closed, all], default: open } }]
      responses: { 200: { description: x, ${json(`{ type: array, items: ${issue} }`)} } }
    post: { operationId: addIssue, ${body}, ${created} }
  /repos/{repo}/issues/{id}:
    parameters: [{ name: repo, in: path, required: true, schema: { type: string } }, { name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getIssue, responses: { 200: { description: x, ${json(issue)} } } }
    put: { operationId: putIssue, ${body}, responses: { 200: { description: x, ${json(issue)} } } }
  /repos/{repo}/issues/{id}/comments: { get: { operationId: listComments, parameters: [{ name: repo, in: path, required: true, schema: { type: string } }, { name: id, in: path, required: true, schema: { type: integer } }], responses: { 200: { description: x } } } }
  /repos/{repo}/issues/{id}/events/{event}:
    parameters: [{ name: repo, in: path, required: true, schema: { type: string } }, { name: id, in: path, required: true, schema: { type: integer } }, { name: event, in: path, required: true, schema: { type: string } }]
    get: { operationId: getEvent, responses: { 200: { description: x, ${json('{ $ref: "#/components/schemas/Event" }')} } } }
    put: { operationId: putEvent, requestBody: { required: true, ${json("{ type: object, required: [text], properties: { text: { type: string } } }")} }, responses: { 200: { description: x, ${json('{ $ref: "#/components/schemas/Event" }')} } } }
  /repos/{repo}:
    parameters: [{ name: repo, in: path, required: true, schema: { type: string } }]
    get: { operationId: getRepo, responses: { 200: { description: x, ${json('{ $ref: "#/components/schemas/FullRepository" }')} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getNote, responses: { 200: { description: x, ${json('{ $ref: "#/components/schemas/Note" }')} } } }
    put: { operationId: putNote, requestBody: { required: true, ${json("{ type: object, required: [text], properties: { text: { type: string } } }")} }, responses: { 200: { description: x, ${json('{ $ref: "#/components/schemas/Note" }')} } } }
`,
  `components:
  schemas:
    NewIssue:
      type: object
      required: [title]
      properties:
        title: { type: string }
        output: { type: object, properties: { text: { type: string } } }
        priority: { type: string, enum: [low, high], description: "How soon it is done. Defaults to \`high\`." }
    Issue:
      type: object
      required: [id, title, url, comments_url, comments, repository_url, _links, state, priority, output]
      properties:
        id: { type: integer }
        title: { type: string }
        url: ${uri}
        comments_url: ${uri}
        comments: { type: object, required: [data, url], properties: { data: { type: array, items: { type: object } }, url: ${uri} } }
        repository_url: ${uri}
        _links: { type: object, required: [self, html, repository], properties: { self: ${link}, html: ${link}, repository: ${link} } }
        output: { type: object, required: [text, comments_url], properties: { text: { type: string }, comments_url: ${uri} } }
        state: { type: string }
        priority: { type: string, enum: [low, high] }
    FullRepository: { type: object, properties: { repo: { type: string } } }
    Event: { type: object, required: [event, text, issue_url, repository_url], properties: { event: { type: string }, text: { type: string }, issue_url: ${uri}, repository_url: ${uri} } }
    Note: { type: object, required: [id, text, self], properties: { id: { type: string }, text: { type: string }, self: ${uri} } }
`,
);

const url = "http://localhost/repos/a%20b/issues/1";

testLikely("a new record has its URL, that of its parent, and those of lists below it", document, async (t, send) => {
  const { status, body } = await send("POST", "/repos/a%20b/issues", { title: "A" });
  t.equal(status, 201);
  t.same(body, {
    id: 1,
    title: "A",
    url,
    comments_url: `${url}/comments`,
    comments: { data: [], url: `${url}/comments` },
    repository_url: "http://localhost/repos/a%20b",
    _links: { self: { href: url }, html: { href: url }, repository: { href: "http://localhost/repos/a%20b" } },
    state: "open",
    priority: "high",
    output: { text: "", comments_url: `${url}/comments` },
  });
  t.same((await send("GET", "/repos/a%20b/issues/1")).body, body, "it is stored");
  t.same((await send("GET", "/repos/a%20b/issues")).body, [body], "the list shows it without a filter");
  t.match((await send("PUT", "/repos/a%20b/issues/1", { title: "B" })).body, { title: "B", url });
  const completed = (await send("POST", "/repos/a%20b/issues", { title: "A", output: { text: "b" } })).body.output;
  t.same(
    completed,
    { text: "b", comments_url: "http://localhost/repos/a%20b/issues/2/comments" },
    "also beside a text",
  );
  const event = (await send("PUT", "/repos/a%20b/issues/1/events/e", { text: "x" })).body;
  t.match(event, { issue_url: url, repository_url: "http://localhost/repos/a%20b" }, "those of all above");
  const note = { id: "n 1", text: "x", self: "http://localhost/notes/n%201" };
  t.same((await send("PUT", "/notes/n%201", { text: "x" })).body, note, "also of one that a PUT creates");
});

testLikely(
  "texts of clients stay as they are, also if a record is replayed after its deletion",
  document,
  async (t, send) => {
    const title = "http://record.invalid/x";
    const add = () => send("POST", "/repos/r/issues", { title }, "application/json", { "idempotency-key": "k" });
    const { body } = await add();
    t.match(body, { title, url: "http://localhost/repos/r/issues/1" });
    t.same((await add()).body, body);
  },
);
