import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { freePort } from "../free-port.ts";

/** A running `app.mjs`. */
export type LoadApp = {
  readonly name: string;
  readonly address: string;
  readonly child: ChildProcess;
  /** Has it finish its requests and end. */
  end(): Promise<void>;
};

/** Starts an app that answers with a name. */
export async function startLoadApp(name: string): Promise<LoadApp> {
  const port = await freePort();
  const child = spawn(process.execPath, ["test/support/load/app.mjs", name, `${port}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  return {
    name,
    address: `127.0.0.1:${port}`,
    child,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}
