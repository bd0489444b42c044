import { eventually } from "../../support/faults/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import type { DebianMachine } from "./debian-machine.ts";

const CONFIG = (port: number) => `version: 0.1
storage:
  filesystem:
    rootdirectory: /srv/registry
  delete:
    enabled: true
http:
  addr: 127.0.0.1:${port}
`;

/** The engine of the machine asks this registry instead of Docker Hub. */
const MIRROR = (port: number) => `[[registry]]
prefix = "docker.io"
location = "127.0.0.1:${port}"
insecure = true

[[registry]]
location = "127.0.0.1:${port}"
insecure = true
`;

/** A registry in a machine, which has the base images `debian:13` and `node:24` in the place of Docker Hub. */
export class ImageRegistry {
  readonly #machine: DebianMachine;
  /** Host and port, as the address of an image begins. */
  readonly host: string;

  private constructor(machine: DebianMachine, port: number) {
    this.#machine = machine;
    this.host = `127.0.0.1:${port}`;
  }

  static async start(machine: DebianMachine): Promise<ImageRegistry> {
    const port = await freePort();
    const registry = new ImageRegistry(machine, port);
    await machine.write("/etc/test-registry.yml", CONFIG(port));
    await machine.write("/etc/containers/registries.conf.d/900-test.conf", MIRROR(port));
    await registry.run();
    await machine.tell("tar --create --file /srv/node.tar --dereference --directory / usr/local/bin/node");
    await registry.push("library/debian:13", ["/usr/local/share/images/debian.tar"]);
    await registry.push("library/node:24", ["/usr/local/share/images/debian.tar", "/srv/node.tar"]);
    return registry;
  }

  async run(): Promise<void> {
    await this.#machine.tell(
      "systemd-run --quiet --collect --unit=test-registry docker-registry serve /etc/test-registry.yml",
    );
    await eventually("the registry answers", async () => {
      const { code } = await this.#machine.run(`curl -fsS http://${this.host}/v2/`);
      return code === 0;
    });
  }

  async stop(): Promise<void> {
    await this.#machine.tell("systemctl stop test-registry");
  }

  /** Pushes an image that consists of the files of archives. @returns its digest */
  async push(name: string, archives: readonly string[]): Promise<string> {
    return await this.#machine.tell(
      `skopeo copy --quiet --insecure-policy --dest-tls-verify=false --digestfile /tmp/digest tarball:${archives.join(":")} docker://${this.host}/${name} && cat /tmp/digest`,
    );
  }
}
