import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { keepSchedule, runSchedule } from "./shared/local-schedule.ts";
import { messageOf, Problem } from "./shared/problem.ts";
import { killGroup } from "./shared/processes.ts";
import { binaries, root } from "./shared/root.ts";
import { quietWrangler, runCommand } from "./shared/run-command.ts";
import { print, step } from "./shared/terminal.ts";
import { lockHome } from "./start/home-lock.ts";
import { readStartOptions } from "./start/options.ts";

/** How long wrangler may take to end both of its workerd. */
const STOP_MS = 5_000;

/** The Worker alone under `wrangler dev`, reloading on change, with the state of `npm start`. */
async function main(): Promise<void> {
  const read = readStartOptions(process.argv.slice(2), process.env["INIT_CWD"] ?? root);
  if (read.kind !== "read")
    throw new Problem(
      `${read.kind === "wrong" ? `${read.message}\n\n` : ""}npm run dev -- [--port N] [--home DIR]`,
    );
  const { home, port } = read.options;
  await mkdir(home, { recursive: true, mode: 0o700 });
  // Two servers on one state would each believe to be alone with its objects.
  const lock = await lockHome(home);
  const state = ["--persist-to", join(home, "state")];

  await step("migrating the database", async () => {
    const { code, output } = await runCommand(
      ["wrangler", "d1", "migrations", "apply", "DB", "--local", ...state],
      { env: quietWrangler },
    );
    if (code !== 0) {
      await lock.release();
      throw new Problem(`The migrations failed:\n${output}`);
    }
    return { value: null, done: "Database migrated" };
  });
  print(`  http://127.0.0.1:${port}, reloading on change. Make a token: npm run token -- --account local`);

  const wrangler = spawn(
    process.execPath,
    [
      join(binaries, "wrangler"),
      ...["dev", "--ip", "127.0.0.1", "--port", `${port}`, ...state],
      // The address of a released installation is not the one of this server.
      ...["--var", "PUBLIC_URL:"],
      "--no-minify",
      ...["--log-level", "info", "--show-interactive-dev-session=false", "--inspector-port", "0"],
    ],
    {
      cwd: root,
      // Both of its workerd outlive a wrangler that is killed, so the group is ended as a whole.
      detached: true,
      env: { ...process.env, ...quietWrangler },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      wrangler.kill("SIGTERM");
      setTimeout(() => wrangler.kill("SIGKILL"), STOP_MS).unref();
    });
  // Wrangler has a door for its cron triggers, and opens it for nobody by itself.
  keepSchedule(() => runSchedule(`http://127.0.0.1:${port}`));
  wrangler.once("exit", (code) => {
    if (wrangler.pid !== undefined) killGroup(wrangler.pid);
    void lock.release().then(() => process.exit(code ?? 0));
  });
}

try {
  await main();
} catch (error) {
  console.error(`gantry: ${messageOf(error)}`);
  process.exit(1);
}
