// Progress on standard error: a bar on a terminal, otherwise a line every 5 s.
import { Writable } from "node:stream";
import t from "tap";
import { startProgress } from "../../src/terminal/index.ts";

/** A bar on a stream, with a clock that the test sets. */
function start(terminal: { isTTY?: boolean; columns?: number } = {}) {
  let now = 1_000;
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  const bar = startProgress(Object.assign(stream, terminal), () => now);
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  const take = () => written.splice(0).join("");
  return { ...bar, wait, take };
}

t.test("Shows a bar with rate and remaining time on a terminal", async (t) => {
  const { show, clear, wait, take } = start({ isTTY: true });
  show("copying", 1, 4_000);
  wait(299);
  show("copying", 900, 4_000);
  t.equal(take(), "", "no bar before 300 ms: the rate is not known yet");
  wait(201);
  show("copying", 1_000, 4_000);
  t.equal(take(), `\r\x1b[Kcopying   ${"█".repeat(6)}${"░".repeat(18)} 1,000 of 4,000 rows, 2,000/s, 2 s left`);
  wait(99);
  show("copying", 1_500, 4_000);
  t.equal(take(), "", "at most every 100 ms");
  show("copying", 4_000, 4_000);
  t.match(take(), /^\r\x1b\[Kcopying {3}█{24} 4,000 of 4,000 rows, [\d,]+\/s, 0 s left$/, "always at the end");
  show("comparing", 1, 4_000);
  wait(300);
  show("comparing", 3_000, 4_000);
  t.equal(take(), `\r\x1b[Kcomparing ${"█".repeat(18)}${"░".repeat(6)} 3,000 of 4,000 rows, 10,000/s, 1 s left`);
  clear();
  t.equal(take(), "\r\x1b[K", "clears the line");
});

t.test("Shows count and rate if the total is unknown", async (t) => {
  const { show, wait, take } = start({ isTTY: true });
  show("exporting", 1, undefined, "pets");
  t.equal(take(), "");
  wait(500);
  show("exporting", 2_000, undefined, "pets");
  t.equal(take(), `\r\x1b[Kexporting ${"░".repeat(24)} 2,000 pets, 4,000/s`);
});

t.test("The bar fits the width of the terminal", async (t) => {
  for (const [columns, width] of [
    [60, 18],
    [50, 8],
    [40, 0],
    [0, 24], // the terminal does not know its width
  ] as const) {
    const { show, wait, take } = start({ isTTY: true, columns });
    show("copying", 0, 100);
    wait(1_000);
    show("copying", 10, 100);
    const bar = /[█░]*(?= 10 of 100 rows, 10\/s, 9 s left$)/.exec(take())?.[0];
    t.equal(bar?.length, width, `${columns} columns`);
  }
});

t.test("Writes a line every 5 s and at the end if standard error is no terminal", async (t) => {
  const { show, clear, wait, take } = start();
  show("checking", 0, 100);
  wait(4_999);
  show("checking", 10, 100);
  t.match(take(), /^checking: 10 of 100 rows, .*\n$/, "the first line");
  wait(4_999);
  show("checking", 20, 100);
  t.equal(take(), "");
  wait(2);
  show("checking", 20, 100);
  t.equal(take(), "checking: 20 of 100 rows, 2/s, 40 s left\n");
  show("checking", 100, 100);
  t.equal(take(), "checking: 100 of 100 rows, 10/s, 0 s left\n");
  clear();
  t.equal(take(), "");
});
