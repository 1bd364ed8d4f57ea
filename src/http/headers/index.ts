// Header fields: their syntax, and those of every response.
export { type CorsOptions, cors } from "./cors.ts";
export {
  describesContent,
  isFraming,
  isHeaderName,
  isHeaderText,
  isMediaType,
  maxHeaderSize,
  splitAuthorization,
} from "./header-syntax.ts";
export { createDataHeaders, createSecurityHeaders, responseHeaders } from "./security-headers.ts";
export { setHeader } from "./set-header.ts";
