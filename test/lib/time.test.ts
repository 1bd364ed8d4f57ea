// Days and timestamps in UTC.
import t from "tap";
import { formatTime, toDay } from "../../src/lib/time.ts";

t.test("Counts days in UTC, also before 1970", async (t) => {
  t.equal(toDay(0), 0n);
  t.equal(toDay(Date.UTC(1970, 0, 1, 23, 59, 59, 999)), 0n);
  t.equal(toDay(Date.UTC(1970, 0, 2)), 1n);
  t.equal(toDay(Date.UTC(2024, 1, 29, 12)), 19_782n);
  t.equal(toDay(-1), -1n);
});

t.test("Formats times to the minute, in UTC", async (t) => {
  t.equal(formatTime(new Date("2030-12-05T13:45:59.999Z")), "2030-12-05 13:45Z");
  t.equal(formatTime(new Date("2030-12-05T00:30:00+02:00")), "2030-12-04 22:30Z");
});
