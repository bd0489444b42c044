import { eventually } from "../../support/faults/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import type { DebianMachine } from "./debian-machine.ts";

const CONFIG = (port: number, name: string, auth: string) => `version: 0.1
storage:
  filesystem:
    rootdirectory: /srv/${name}
  delete:
    enabled: true
${auth}http:
  addr: 127.0.0.1:${port}
`;

/** The only user of a private registry. */
export const REGISTRY_LOGIN = { user: "ada", password: "registry-password" };
const USERS = `${REGISTRY_LOGIN.user}:$2y$05$abcdefghijklmnopqrstuux7DVfxfgfXTmp/9Tsk6HzX2QQGjxePG`;
const AUTH = (name: string) => `auth:
  htpasswd:
    realm: ${name}
    path: /etc/${name}.htpasswd
`;

const PASSPHRASE = "/srv/passphrase";

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
  readonly #name: string;
  /** Host and port, as the address of an image begins. */
  readonly host: string;

  private constructor(machine: DebianMachine, port: number, name: string) {
    this.#machine = machine;
    this.#name = name;
    this.host = `127.0.0.1:${port}`;
  }

  static async start(machine: DebianMachine): Promise<ImageRegistry> {
    const port = await freePort();
    const registry = new ImageRegistry(machine, port, "test-registry");
    await machine.write("/etc/test-registry.yml", CONFIG(port, "test-registry", ""));
    await machine.write("/etc/containers/registries.conf.d/900-test.conf", MIRROR(port));
    await registry.run();
    await machine.tell("tar --create --file /srv/node.tar --dereference --directory / usr/local/bin/node");
    await registry.push("library/debian:13", ["/usr/local/share/images/debian.tar"]);
    await registry.push("library/node:24", ["/usr/local/share/images/debian.tar", "/srv/node.tar"]);
    return registry;
  }

  /** A registry without images that refuses requests without the login of its user. */
  static async startPrivate(machine: DebianMachine): Promise<ImageRegistry> {
    const port = await freePort();
    const name = "private-registry";
    const registry = new ImageRegistry(machine, port, name);
    await machine.write(`/etc/${name}.yml`, CONFIG(port, name, AUTH(name)));
    await machine.write(`/etc/${name}.htpasswd`, USERS);
    await machine.write(
      "/etc/containers/registries.conf.d/901-test.conf",
      `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`,
    );
    await registry.run();
    return registry;
  }

  async run(): Promise<void> {
    await this.#machine.tell(
      `systemd-run --quiet --collect --unit=${this.#name} docker-registry serve /etc/${this.#name}.yml`,
    );
    await eventually("the registry answers", async () => {
      const { output } = await this.#machine.run(
        `curl -sS -o /dev/null -w '%{http_code}' http://${this.host}/v2/`,
      );
      return output === "200" || output === "401";
    });
  }

  /** Adds lines to the registry's configuration, and restarts it. */
  async configure(lines: string): Promise<void> {
    await this.#machine.tell(`cat >> /etc/${this.#name}.yml <<'END'\n${lines}\nEND`);
    await this.stop();
    await this.run();
  }

  async stop(): Promise<void> {
    await this.#machine.tell(`systemctl stop ${this.#name}`);
  }

  /**
   * Builds an image and pushes it. Its instructions must run nothing.
   * @param files by their paths, with the Dockerfile
   * @param options of `buildah build`
   * @returns its digest, without `sha256:`
   */
  async build(name: string, files: Readonly<Record<string, string>>, options = ""): Promise<string> {
    const folder = "/srv/images/context";
    await this.#machine.tell(`rm -rf ${folder} && mkdir -p ${folder}`);
    for (const [path, text] of Object.entries(files)) await this.#machine.write(`${folder}/${path}`, text);
    const { user, password } = REGISTRY_LOGIN;
    // The agent's folder is a real one, which the storage of images needs.
    const engine =
      "buildah --root=/var/lib/gantry/.test-images --runroot=/run/test-images --storage-driver=overlay";
    const digest = await this.#machine.tell(
      `${engine} build --quiet ${options} --tag=pushed ${folder} >/dev/null && ${engine} push --quiet --creds=${user}:${password} --digestfile=/tmp/digest pushed docker://${this.host}/${name} && cat /tmp/digest`,
    );
    return digest.replace("sha256:", "");
  }

  /** Makes a pair of keys for `sign`. @returns the path of the public key */
  async makeKey(path: string): Promise<string> {
    await this.#machine.tell(
      `mkdir -p "$(dirname ${path})" && : > ${PASSPHRASE} && skopeo generate-sigstore-key --output-prefix ${path} --passphrase-file ${PASSPHRASE} && chmod 644 ${path}.pub`,
    );
    return `${path}.pub`;
  }

  /** Copies an image to another name, with a signature beside it. @returns its digest, without `sha256:` */
  async sign(from: string, to: string, key: string): Promise<string> {
    const { user, password } = REGISTRY_LOGIN;
    await this.#machine.write(
      "/srv/signing/signing.yaml",
      `docker:\n  ${this.host}:\n    use-sigstore-attachments: true\n`,
    );
    const digest = await this.#machine.tell(
      `skopeo --registries.d /srv/signing copy --quiet --insecure-policy --src-creds=${user}:${password} --dest-creds=${user}:${password} --sign-by-sigstore-private-key=${key} --sign-passphrase-file=${PASSPHRASE} --digestfile=/tmp/digest docker://${this.host}/${from} docker://${this.host}/${to} && cat /tmp/digest`,
    );
    return digest.replace("sha256:", "");
  }

  /** Pushes an image that consists of the files of archives. @returns its digest */
  async push(name: string, archives: readonly string[]): Promise<string> {
    return await this.#machine.tell(
      `skopeo copy --quiet --insecure-policy --dest-tls-verify=false --digestfile /tmp/digest tarball:${archives.join(":")} docker://${this.host}/${name} && cat /tmp/digest`,
    );
  }
}
