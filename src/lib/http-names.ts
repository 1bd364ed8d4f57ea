// The names that HTTP has in Node: the methods of its parser, and the phrases of statuses.

// An import would evaluate all of node:http, including its WebSocket, which takes 30 ms of each start. Lint enforces it.
export const { METHODS, STATUS_CODES } = process.getBuiltinModule("node:http");
