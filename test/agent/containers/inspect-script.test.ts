import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { inspectCommand, USERS } from "#agent/containers/build-script.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { ids } from "../support/harness.ts";

/** Stands in for podman, which runs only on a server. The image is in the folder IMAGE. */
const PODMAN = `#!/bin/sh
case "$*" in
  *" unshare "*) while [ "$1" != unshare ]; do shift; done; shift; exec "$@" ;;
  *" image inspect "*) echo '[]' ;;
  *" image mount "*) echo "$IMAGE" ;;
esac
`;

it("reads the users of an image, and no pipe in the place of their file", () => {
  const home = mkdtempSync(join(tmpdir(), "gantry-inspect-"));
  try {
    const folder = projectFolder(home, ids.project());
    const etc = join(home, "image", "etc");
    for (const path of [folder.containers, join(home, "bin"), etc]) mkdirSync(path, { recursive: true });
    writeFileSync(join(home, "bin", "podman"), PODMAN);
    chmodSync(join(home, "bin", "podman"), 0o755);
    writeFileSync(join(etc, "group"), "web:x:33:\n");
    const [program, ...rest] = inspectCommand({ folder, environment: {} }, 1).argv;
    const read = () =>
      execFileSync(program, rest, {
        cwd: folder.containers,
        env: { PATH: `${join(home, "bin")}:/usr/bin:/bin`, IMAGE: join(home, "image") },
        encoding: "utf8",
        timeout: 5000,
      });
    writeFileSync(join(etc, "passwd"), "app:x:1000:1000::/:/bin/sh\n");
    expect(read()).toBe(`[]\n${USERS}\napp:x:1000:1000::/:/bin/sh\n\ngroup:web:x:33:\n`);
    rmSync(join(etc, "passwd"));
    execFileSync("mkfifo", [join(etc, "passwd")]);
    expect(read()).toBe(`[]\n${USERS}\n\ngroup:web:x:33:\n`);
  } finally {
    rmSync(home, { recursive: true });
  }
});
