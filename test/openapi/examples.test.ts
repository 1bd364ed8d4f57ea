// The examples of the document, which documentation shows and generators of code use. Also run over PostgreSQL.
import t from "tap";
import { checkExamples } from "../support/examples.ts";

t.test("Responds to the requests of the examples with the responses of the examples", (t) => checkExamples(t));
