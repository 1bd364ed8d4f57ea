// The fuzz run detects hidden requests, and pets that are lost, changed, unknown or created twice.
import t from "tap";
import type { Case } from "../../scripts/fuzz/cases.ts";
import { canary } from "../../scripts/fuzz/hidden.ts";
import { judge } from "../../scripts/fuzz/judge.ts";
import { openLedger } from "../../scripts/fuzz/ledger.ts";
import { exchange } from "../../scripts/fuzz/wire.ts";
import { documentText } from "../support/files.ts";
import { createRequest } from "../support/http.ts";
import { createResponseCheck } from "../support/responses.ts";
import { start } from "../support/service.ts";

const { port, key } = await start(t);
const { head, body } = createRequest(key, canary);
const bytes = Buffer.from(head + body);
const sent: Case = { bytes, cuts: [9, 99], end: "close", most: 1, heads: [], size: 1, requests: [] };
const { answers } = await exchange(port, sent);
const [answer] = answers;
if (answer === undefined) throw new Error("no answer");

t.test("The ledger finds hidden requests, and pets that are lost, changed, unknown or created twice", async (t) => {
  const created = { ...answer, text: answer.text.replace(canary, "Rex"), body: { id: 1, name: "Rex", categoryId: 1 } };
  const page = (...pets: string[]) => ({ ...answer, text: `[${pets}]` });
  t.throws(() => openLedger().note(sent, answers, false), { message: /hidden request/ });

  const ledger = openLedger();
  ledger.note(sent, [created], false);
  t.equal(await ledger.audit(async () => page(created.text)), 1);
  await t.rejects(
    ledger.audit(async () => page()),
    { message: /of 1 pets 0 are there/ },
  );
  await t.rejects(
    ledger.audit(async () => page(created.text.replace("Rex", "Re"))),
    { message: /not what was answered/ },
  );
  await t.rejects(
    ledger.audit(async () => page(created.text, '{"id":2,"name":"Tom"}')),
    { message: /nobody is known/ },
  );
  t.throws(() => ledger.note(sent, [created], false), { message: /given twice/ });
});

t.test("The judge finds failures, undeclared responses, and more responses than requests", async (t) => {
  const check = await createResponseCheck(documentText);
  t.doesNotThrow(() => judge(sent, answers, check));
  t.throws(() => judge(sent, [answer, answer], check), { message: /2 answers, and 1 requests at most/ });
  t.throws(() => judge(sent, [{ ...answer, status: 500 }], check), { message: /it fails: 500/ });
  t.throws(() => judge(sent, [{ ...answer, status: 202 }], check), { message: /undeclared|bad/ });
});
