// Shifts the clock of a process: `node --import clock-shift.js`. Date has the offset in the file CLOCK_SHIFT_FILE, in
// milliseconds, from 50 ms after it was written. It has the opposite sign in processes with an odd id, so that clocks
// differ between workers. Monotonic clocks and timers do not change, as when an administrator sets the clock.
import { readFileSync } from "node:fs";

const file = process.env.CLOCK_SHIFT_FILE;
const sign = process.pid % 2 === 0 ? 1 : -1;
const RealDate = Date;
let offset = 0;

const readOffset = () => {
  if (file) offset = sign * Number(readFileSync(file, "utf8"));
};
readOffset();
setInterval(readOffset, 50).unref();

globalThis.Date = /** @type {DateConstructor} */ (
  class extends RealDate {
    /** @param {[]} values */
    constructor(...values) {
      if (values.length > 0) super(...values);
      else super(RealDate.now() + offset);
    }

    /** @override */
    static now() {
      return RealDate.now() + offset;
    }
  }
);
