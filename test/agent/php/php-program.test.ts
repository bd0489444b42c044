import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ownToolsFolder } from "#agent/workspace/tools-folder.ts";
import { writePhpProgram } from "#agent/php/write-php-program.ts";

import { runShell } from "../../support/run-shell.ts";

const hasFpm = ["/usr/sbin", "/usr/local/sbin"].some((folder) => existsSync(`${folder}/php-fpm`));

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-php-program-"));
  await mkdir(join(home, "app", "public"), { recursive: true });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const program = () => join(ownToolsFolder(home), "gantry-php");
const write = (isLocal: boolean) => writePhpProgram(home, { ingressCaddy: "/nowhere/caddy", isLocal });
const serve = (folder: string, env: Readonly<Record<string, string>>) =>
  runShell(["sh", "-c", `cd ${home}/app && exec ${program()} ${folder}`], {
    env: { PATH: `${home}/bin:/usr/bin:/bin`, ...env },
  });

describe("gantry-php, the program that serves a PHP app", () => {
  it("passes shellcheck, and other users may start it", async () => {
    await write(true);
    const { code, output } = await runShell(["shellcheck", program()], { env: { PATH: "/usr/bin:/bin" } });
    expect({ code, output }).toEqual({ code: 0, output: "" });
    expect((await stat(program())).mode & 0o777).toBe(0o755);
  });

  it("says what is wrong with its call", async () => {
    await write(false);
    expect(await serve("public", {})).toEqual({
      code: 1,
      output: "gantry-php: the variable PORT must have the port to listen on\n",
    });
    // Another line would be a setting of PHP-FPM, such as a file that PHP runs before each script.
    const more = "2\nphp_admin_value[auto_prepend_file] = /proc/self/environ";
    expect(await serve("public", { PORT: "20000", WEB_CONCURRENCY: more })).toEqual({
      code: 1,
      output: "gantry-php: the variable WEB_CONCURRENCY must be a number\n",
    });
    expect(await serve("web", { PORT: "20000" })).toEqual({
      code: 1,
      output: "gantry-php: there is no folder web\n",
    });
  });

  it.skipIf(existsSync("/usr/bin/php"))("names the packages of a missing PHP", async () => {
    await write(true);
    expect(await serve("public", { PORT: "20000" })).toEqual({
      code: 1,
      output: "gantry-php: PHP is missing on this server: apt-get install php-cli php-fpm\n",
    });
  });

  it.skipIf(hasFpm)("names the package of a missing PHP-FPM, for the version of PHP", async () => {
    await write(false);
    await mkdir(join(home, "bin"));
    const php = "#!/bin/sh\ncase $3 in *VERSION*) echo 8.4 ;; *) echo /usr ;; esac\n";
    await writeFile(join(home, "bin", "php"), php, { mode: 0o755 });
    expect(await serve("public", { PORT: "20000" })).toEqual({
      code: 1,
      output: "gantry-php: PHP-FPM 8.4 is missing on this server: apt-get install php8.4-fpm\n",
    });
  });

  it("ends when it is asked to while PHP-FPM is starting", async () => {
    await writePhpProgram(home, { ingressCaddy: "/bin/true", isLocal: false });
    await mkdir(join(home, "bin"));
    await mkdir(join(home, "sbin"));
    const php = `#!/bin/sh\ncase $3 in *VERSION*) echo 8.4 ;; *) echo ${home} ;; esac\n`;
    await writeFile(join(home, "bin", "php"), php, { mode: 0o755 });
    // Not a shell, which cannot take SIGQUIT in the background.
    const fpm = `#!${process.execPath}
const { dirname } = require("node:path");
const { existsSync, writeFileSync } = require("node:fs");
process.on("SIGQUIT", () => process.exit());
writeFileSync("${home}/starting", "");
setTimeout(() => writeFileSync(dirname(process.argv.at(-1)) + "/fpm.pid", String(process.pid)), 500);
setInterval(() => existsSync("${home}/enough") && process.exit(), 50);
`;
    await writeFile(join(home, "sbin", "php-fpm8.4"), fpm, { mode: 0o755 });
    const late = `(sleep 20; touch ${home}/enough) >/dev/null 2>&1 &`;
    const ask = `${late} ${program()} public & until [ -e ${home}/starting ]; do sleep 0.05; done; kill $!; wait $!`;
    const { code, output } = await runShell(
      ["sh", "-c", `cd ${home}/app; time=$(date +%s); ${ask}; echo $(($(date +%s) - time))`],
      {
        env: { PATH: `${home}/bin:/usr/bin:/bin`, PORT: "20000" },
      },
    );
    expect({ code, isFast: Number(output) < 20 }).toEqual({ code: 0, isFast: true });
  });
});
