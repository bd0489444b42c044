import { type Gate, waitAtGate } from "./gate.ts";

/** Answers with the page of its release. A request to /hold gets no answer, so it keeps a replaced instance draining. */
const server = `const { readFileSync } = require("node:fs");
const page = readFileSync("index.html");
const server = require("node:http").createServer((request, response) => {
  if (request.url === "/hold") return response.writeHead(200).write("held");
  response.writeHead(request.url === "/missing" ? 404 : 200).end(page);
});
server.listen(Number(process.env.PORT), process.env.HOST);
process.on("SIGTERM", () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
`;

/**
 * What makes a commit an app: a process that serves its page, and one without a port.
 * @param extra lines of sh before the server starts, after the gate
 */
export function appFiles(gate: Gate, extra: string): Readonly<Record<string, string>> {
  const processes = {
    web: { command: `exec sh web.sh ${gate.path}` },
    worker: { command: "exec sleep 86400" },
  };
  return {
    "gantry.json": JSON.stringify({ processes }),
    "server.cjs": server,
    "web.sh": `gate=$1\n${waitAtGate("start")}\n${extra}\nexec node server.cjs\n`,
  };
}
