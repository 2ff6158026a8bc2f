import { readFileSync } from "node:fs";

// Loaded beside a daemon (`node --import`): its wall clock is off by as many milliseconds as the file says that CLOCK_FILE names.
// A message of the parent makes it look there again: the clock is then set, as an operator or a time server would.
const RealDate = Date;
const realNow = Date.now.bind(Date);
let offset = readOffset();

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [realNow() + offset] : args));
  }

  static now() {
    return realNow() + offset;
  }
};

process.on("message", (message) => {
  offset = readOffset();
  process.send(message);
});
process.channel?.unref();

function readOffset() {
  return Number(readFileSync(process.env.CLOCK_FILE, "utf8"));
}
