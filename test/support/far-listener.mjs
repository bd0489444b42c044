// A listener whose machine is far away: it takes no connection until a file is there, and its backlog is full by then.
// Arguments: the port that it passes connections on to, and the file.
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";

const [, , targetPort, file] = process.argv;
const server = createServer((near) => {
  const far = connect(Number(targetPort), "127.0.0.1");
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroy());
  near.pipe(far).pipe(near);
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  process.send(server.address().port, () => {
    // Node takes connections as soon as it gets to do anything, so it does nothing.
    const never = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(file)) Atomics.wait(never, 0, 0, 20);
  });
});
