import { execFile } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { freePort } from "../support/free-port.ts";

const repository = join(import.meta.dirname, "../..");
/** A copy of the clone, because other tests use the real one at the same time. */
let clone: string;
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), "gantry-clone-"));
  for (const part of ["src", "scripts", "package.json"])
    await cp(join(repository, part), join(clone, part), { recursive: true });
  await symlink(join(repository, "node_modules"), join(clone, "node_modules"));
});
afterEach(() => rm(clone, { recursive: true, force: true }));

/** How `npm start` ends. */
async function start(
  home: string,
  port: readonly string[] = [],
): Promise<{ code: number | null; errors: string }> {
  const args = ["scripts/start.ts", "--home", home, ...port];
  const options = { cwd: clone, env: { ...process.env, INIT_CWD: clone, NO_COLOR: "1" } };
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, args, options, (_error, _output, errors) =>
      resolve({ code: child.exitCode, errors }),
    );
  });
}

// A file in the place of the folder: root may write to a folder without permission.
describe("npm start that cannot write to", () => {
  it("the clone's folder of homes says so, and leaves no lock behind", async () => {
    await mkdir(join(clone, "build"));
    await writeFile(join(clone, "build", "homes"), "");
    const home = join(clone, "home");
    const { code, errors } = await start(home, ["--port", `${await freePort()}`]);
    expect(code).toBe(1);
    expect(errors.trim()).toBe(
      `gantry: Cannot write to ${join(clone, "build", "homes")}: a file is where a folder belongs.\nIt contains a folder for the installation on each port.`,
    );
    await expect(stat(join(home, "run", "start.lock"))).rejects.toThrow("ENOENT");
  });

  it("its home says so", async () => {
    const home = join(clone, "home");
    await writeFile(home, "");
    const { code, errors } = await start(home, ["--port", `${await freePort()}`]);
    expect(code).toBe(1);
    expect(errors.trim()).toBe(
      `gantry: Cannot write to ${home}: a file is where a folder belongs.\nUse another home: npm start -- --home OTHER`,
    );
  });
});

it("npm start uses the port that its home used last, unless another is passed", async () => {
  const other = createServer();
  await once(other.listen(0, "127.0.0.1"), "listening");
  const address = other.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const home = join(clone, "home");
  await mkdir(home);
  await writeFile(join(home, "start.json"), JSON.stringify({ server_id: null, projects: [], port }));
  const { code, errors } = await start(home);
  other.close();
  expect(code).toBe(1);
  expect(errors).toContain(`Port ${port}, which this home used last, is taken by `);
});
