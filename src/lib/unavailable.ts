// The error for temporary failures, from the store to the 503 response.

/** A dependency is unreachable, locked or out of space. The request fails with 503, and the client may retry it. */
export class Unavailable extends Error {}
