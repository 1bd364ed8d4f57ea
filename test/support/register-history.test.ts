// The check of register histories finds the faults that it is for.
import t from "tap";
import { checkRegisters, type RegisterCall } from "./register-history.ts";

const call = (
  operation: RegisterCall["operation"],
  value: number | undefined,
  start: number,
  end: number,
  isConfirmed = true,
): RegisterCall => ({ record: "r", operation, value, start, end, isConfirmed });

const base = [call("create", 0, 1, 2), call("write", 1, 3, 4), call("write", 2, 5, 6)];

t.test("A history without faults has none", async (t) => {
  t.same(
    checkRegisters([
      ...base,
      call("write", 3, 7, 10, false),
      call("read", 2, 8, 9),
      call("read", 3, 11, 12),
      call("delete", undefined, 13, 15),
      call("read", 3, 13, 14),
      call("read", undefined, 14, 16),
      call("read", undefined, 17, 18),
    ]),
    [],
  );
  t.same(checkRegisters([call("create", 0, 1, 2, false), call("read", undefined, 3, 4)]), [], "it was not confirmed");
});

t.test("A record that is lost, stale, undead or invented is found", async (t) => {
  t.match(checkRegisters([...base, call("read", undefined, 7, 8)]), [/is lost, although it was confirmed/]);
  t.match(checkRegisters([...base, call("read", 1, 7, 8)]), [/has 1, although 2 was confirmed/]);
  t.match(checkRegisters([...base, call("read", 5, 7, 8)]), [/has 5, which nobody wrote/]);
  const deleted = [...base, call("delete", undefined, 7, 8)];
  t.match(checkRegisters([...deleted, call("read", 2, 9, 10)]), [/although its deletion was confirmed/]);
  const unknown = [...base, call("write", 3, 7, 8, false), call("read", 3, 9, 10), call("read", 2, 11, 12)];
  t.match(checkRegisters(unknown), [/has 2, although 3 was confirmed or read before/], "what was read once stays");
});
