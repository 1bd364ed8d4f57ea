// What clients of a document need at run time: exact integers. It imports nothing of the server.
export {
  createExactFetch,
  exactJson,
  type IntegerMap,
  type IntegerPlaces,
  parseExactJson,
} from "./exact-integers.ts";
