// Access for agents (Model Context Protocol). Loaded only if it is asked for: the SDK takes 85 ms, and 29 MB.

export type { AgentCaller } from "./agent-server.ts";
export { readStart, sendTo, serveAgents } from "./http.ts";
export { serveAgentOnStreams } from "./stdio.ts";
