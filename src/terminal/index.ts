// The terminal of a command: its streams and signals, the form of its output, progress bars and questions.
export {
  CommandFailure,
  type ConfirmOptions,
  confirm,
  type Io,
  isBrokenPipe,
  messageOf,
  type Output,
  print,
  processIo,
  reportError,
  warn,
  write,
} from "./io.ts";
export { formatFields, formatTable, type OutputOptions, printFields, toIndentedJson } from "./output.ts";
export { cancelOnSignal, type ProgressBar, startProgress } from "./progress.ts";
