import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

const main = resolve(import.meta.dirname, "../../../scripts/shared/chromium.ts");
const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-chromium-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs ensureChromium on a machine without Chromium. @param aptGet a shell script as the package manager; null: none */
async function ensure(aptGet: string | null): Promise<{ code: unknown; output: string }> {
  await symlink("/bin/chmod", join(folder, "chmod"));
  if (aptGet !== null) {
    await writeFile(join(folder, "apt-get"), `#!/bin/sh\n${aptGet}\n`);
    await chmod(join(folder, "apt-get"), 0o755);
  }
  const script = `import { ensureChromium } from ${JSON.stringify(main)}; await ensureChromium().catch((error) => { console.log(error.message); process.exitCode = 1; });`;
  return new Promise((done) => {
    execFile(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { env: { PATH: folder, HERE: folder } },
      (error, stdout, stderr) => done({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

describe.runIf(isRoot)("a machine without Chromium", () => {
  it("installs it with the package manager, even if the package list cannot be updated", async () => {
    const { code, output } = await ensure(`
      case "$*" in
        *update) echo 'Could not resolve the host'; exit 100 ;;
        *install*chromium-headless-shell)
          echo '#!/bin/sh' > "$HERE/chromium-headless-shell"; chmod 755 "$HERE/chromium-headless-shell" ;;
      esac`);
    expect(output).toContain("Chromium installed");
    expect(code).toBe(0);
  });

  it("reports the package manager's output and a remedy if the installation fails", async () => {
    const { code, output } = await ensure(`
      case "$*" in
        *update) echo 'E: Could not resolve the host'; exit 100 ;;
        *) echo 'E: Unable to locate package chromium-headless-shell'; exit 100 ;;
      esac`);
    expect(output).toContain(
      "E: Could not resolve the host\nE: Unable to locate package chromium-headless-shell\n",
    );
    expect(output).toContain("Install it, for example with: apt-get install chromium-headless-shell");
    expect(code).toBe(1);
  });

  it("reports a remedy if there is no supported package manager", async () => {
    const { code, output } = await ensure(null);
    expect(output).toContain("Install it, for example with: apt-get install chromium-headless-shell");
    expect(code).toBe(1);
  });
});
