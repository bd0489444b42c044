import { shellQuote } from "#node/shell-quote.ts";
import type { ProjectId } from "#contract/ids.ts";

/**
 * The commands that send a repository on this server to git, in place of `git upload-pack`. git adds the path as a
 * quoted word, and clears its own settings before it runs them in a shell.
 */

/**
 * As the agent's user. Nothing that the repository's own configuration says is run: a missing object would be fetched
 * from the remote that it names, with the commands that it names. A git from before 2.39.4 does not know
 * `GIT_NO_LAZY_FETCH`, but every git allows only these protocols, and there is none of this name.
 * The agent also asks for histories without files, which a repository allows only if it is told to.
 */
export const ownUploadPack = [
  "GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1",
  "git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c uploadpack.allowFilter=true upload-pack",
].join(" ");

/**
 * As the project's user and in a sandbox, by the isolation helper. So git gets only what the project may read anyway,
 * whatever links, alternates and settings the repository has, even if they change in the meantime.
 */
export function isolatedUploadPack(socketPath: string, project: ProjectId): string {
  return [process.execPath, "--eval", connectScript, socketPath, project].map(shellQuote).join(" ");
}

/**
 * A program that asks the helper to read a repository, and connects its standard input and output with it. The helper
 * names a folder with a pipe for the messages of git, and waits for `go`. It ends git when nobody holds another pipe of
 * the folder open: this program, however it ends.
 */
const connectScript = `
const { openSync, constants } = require("node:fs");
const { createConnection, Socket } = require("node:net");
const { stdin, stdout, stderr, argv } = process;
const [, socketPath, project, path] = argv;
const socket = createConnection(socketPath);
let isSilent = true;
const fail = (why) => {
  process.exitCode = 1;
  stderr.write("fatal: the isolation helper " + why + "\\n");
  socket.destroy();
};
socket.on("error", (error) => fail("cannot be reached: " + error.message));
socket.on("close", () => {
  stdin.destroy();
  if (isSilent) process.exitCode = 1;
});
stdin.on("error", () => undefined);
stdout.on("error", () => process.exit(1));
const request = { verb: "read", project, path_bytes: Buffer.byteLength(path) };
socket.write(JSON.stringify(request) + "\\n" + path);
let answer = "";
socket.on("data", function read(chunk) {
  answer += chunk.toString("latin1");
  const end = answer.indexOf("\\n");
  if (end === -1) return;
  socket.off("data", read);
  const line = answer.slice(0, end);
  const folder = /^output (\\/.*)$/.exec(line)?.[1];
  if (folder === undefined) return fail("does not read the repository: " + line);
  // Not for writing alone, because that waits for a reader.
  openSync(folder + "/reader", constants.O_RDWR);
  const fd = openSync(folder + "/stderr", constants.O_RDONLY | constants.O_NONBLOCK);
  new Socket({ fd, readable: true, writable: false }).pipe(stderr, { end: false });
  socket.write("go\\n");
  socket.once("data", () => (isSilent = false));
  stdin.pipe(socket);
  socket.pipe(stdout);
});
`;
