// A listener on a simulated far machine: it accepts no connection until a file exists. far-server.ts fills its backlog.
// Arguments: its port, the port to forward connections to, and the file.
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";

const [, , port, targetPort, file] = process.argv;
const server = createServer((near) => {
  const far = connect(Number(targetPort), "127.0.0.1");
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroy());
  near.pipe(far).pipe(near);
});
server.listen({ port: Number(port), host: "127.0.0.1", backlog: 1 }, () => {
  process.send("listening", () => {
    // Node accepts connections whenever its event loop runs, so this blocks the loop.
    const never = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(file)) Atomics.wait(never, 0, 0, 20);
  });
});
