import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { DebianMachine } from "./debian-machine.ts";
import { codeOf } from "./documented-code.ts";

const script = (name: string) => readFileSync(resolve(import.meta.dirname, "registry", name), "utf8");

/**
 * Serves Debian's packages of frameworks from a registry in the machine, in the forms that pip, Composer and Bundler
 * download from. The packages are real; their gems have their native parts compiled. The machine's own settings name
 * the registry, as docs/servers.md describes it for a mirror: no repository and no project does.
 * @returns the registry's address
 */
export async function servePackages(machine: DebianMachine, port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const packages = "/usr/local/share/packages";
  const site = "/srv/registry";
  await machine.write("/srv/python-and-php.py", script("python-and-php.py"));
  await machine.write("/srv/gems.rb", script("gems.rb"));
  await machine.tell(
    `python3 /srv/python-and-php.py ${packages} ${site} ${url} && ruby /srv/gems.rb ${packages} ${site}`,
  );
  await machine.tell(
    `systemd-run --quiet --unit=registry python3 -m http.server --bind 127.0.0.1 --directory ${site} ${port}`,
  );
  await machine.write("/etc/gemrc", `:sources: [${url}]\ngem: --no-document\n`);
  await machine.write("/etc/pip.conf", `[global]\nindex-url = ${url}/simple/\n`);
  await machine.write(
    "/etc/composer/config.json",
    JSON.stringify({
      config: { "secure-http": false },
      repositories: [{ type: "composer", url: `${url}/composer` }, { "packagist.org": false }],
    }),
  );
  const file = "/etc/systemd/system/gantry-build-.service.d/mirrors.conf";
  await machine.write(file, codeOf(file).replace("https://mirror.example.com/gems", url));
  await machine.tell("systemctl daemon-reload");
  return url;
}
