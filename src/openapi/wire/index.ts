// Texts and bytes to values, and back.

export { toEventStream } from "./event-stream.ts";
export { type FormEncoding, readForm } from "./form.ts";
export { type BodyFormat, findFormat, isBinary, isIterable, type WrittenBody } from "./formats.ts";
export {
  closeWithClient,
  discardStream,
  hasItems,
  ItemStream,
  isItemStream,
  itemReaderOf,
  withByteChunks,
  withLength,
  withoutContent,
} from "./item-streams.ts";
export {
  checkMediaType,
  essenceOf,
  type FormatName,
  formatOf,
  isJson,
  listContents,
  negotiate,
  parseMediaType,
  selectMediaType,
} from "./media-types.ts";
export {
  decodeComponent,
  decodePercent,
  type Pairs,
  parseCookies,
  parsePairs,
  Query,
  splitCookies,
} from "./pairs.ts";
export { readPairs, readText, type Style } from "./styles.ts";
