// Timestamps in UTC.
import t from "tap";
import { formatTime } from "../../src/lib/time.ts";

t.test("Formats times to the minute, in UTC", async (t) => {
  t.equal(formatTime(new Date("2030-12-05T13:45:59.999Z")), "2030-12-05 13:45Z");
  t.equal(formatTime(new Date("2030-12-05T00:30:00+02:00")), "2030-12-04 22:30Z");
});
