export { type Addresses, addDocs, toPublicUrls } from "./docs.ts";
