import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { REGISTRY_LOGIN } from "../image-registry.ts";
import { FailingRegistry, type RegistryFault } from "./failing-registry.ts";
import { deployImage, expectServed, type ImageWorld } from "./image-world.ts";

const TEST_MS = 120_000;
const FETCH_SECONDS = 3;

/** A registry that fails while an image is pulled, and a disk without room for it. */
export function describeFailingRegistry(world: () => ImageWorld): void {
  describe("A registry that fails during a pull", () => {
    let failing: FailingRegistry;

    /** Of the same repository, without a release. */
    let first: Project;
    const settings = () => ({
      repository: `docker://${REGISTRY_LOGIN.user}:${REGISTRY_LOGIN.password}@${failing.host}/acme/shop`,
      branch: "faults",
    });
    const patch = ({ id }: Project, body: unknown) =>
      world().server.api.call("PATCH", `/v1/projects/${id}`, body);
    const folder = ({ id }: Project) => `/var/lib/gantry/projects/${id}`;

    beforeAll(async () => {
      const { server, registry, project, push } = world();
      failing = await FailingRegistry.start(registry.host);
      await server.machine.write(
        "/etc/containers/registries.conf.d/902-test.conf",
        `[[registry]]\nlocation = "${failing.host}"\ninsecure = true\n`,
      );
      await patch(project, settings());
      first = await server.api.createProject({ name: "first", server_id: server.id, ...settings() });
      await push("acme/shop:faults", "before");
      expect(await deployImage(world())).toMatchObject({ status: "live" });
      await push("acme/shop:faults", "after");
    }, TEST_MS);
    afterAll(() => failing.close());

    /** What a pull could leave: releases, layers, images, and files for a moment. */
    const remains = () =>
      world().server.machine.tell(
        `cd ${folder(world().project)} && { find . /tmp /var/tmp /dev/shm -mindepth 1 -maxdepth 3 -not -path './output-times/*' -not -name images.json; find /run/user -mindepth 2 -maxdepth 3; } | sort`,
      );

    async function expectFailure(
      fault: RegistryFault,
      failure: Partial<DeploymentFailure>,
      deploy = () => deployImage(world()),
    ): Promise<void> {
      const before = (await remains()).split("\n");
      failing.fault = fault;
      const failed = await deploy();
      failing.fault = null;
      expect(failed).toMatchObject({ status: "failed", failure: { ...failure, stage: "fetch" } });
      // The last files are removed after the result was reported.
      // The agent may still remove what earlier releases had.
      const added = async () => (await remains()).split("\n").filter((path) => !before.includes(path));
      await expect.poll(added, { timeout: 20_000 }).toEqual([]);
      await expectServed(world(), "before");
    }

    it("answers that there were too many requests", { timeout: TEST_MS }, async () => {
      await expectFailure("limits", {
        code: "fetch_failed",
        message: `${failing.host} answers no more requests for now`,
      });
    });

    it("never answers, or stops in the middle of a layer", { timeout: TEST_MS }, async () => {
      const { server, project } = world();
      for (const one of [project, first]) await patch(one, { timeouts: { fetch_seconds: FETCH_SECONDS } });
      const failure = {
        code: "timed_out",
        message: `fetching took longer than ${FETCH_SECONDS} seconds`,
      } as const;
      await expectFailure("silent", failure);
      await expectFailure("stalls", failure, async () => {
        const [failed, other] = await Promise.all([deployImage(world()), deployImage(world(), first)]);
        expect(other).toMatchObject({ status: "failed", failure });
        return failed;
      });
      // Nothing later would remove what a first deployment leaves.
      expect(await server.machine.tell(`ls -A ${folder(first)}/private-tmp ${folder(first)}/releases`)).toBe(
        `${folder(first)}/private-tmp:\n\n${folder(first)}/releases:`,
      );
      for (const one of [project, first]) await patch(one, { timeouts: { fetch_seconds: 600 } });
    });

    it("breaks off in the middle of a layer", { timeout: TEST_MS }, async () => {
      await expectFailure("breaks", {
        code: "fetch_failed",
        message: expect.stringContaining(`${failing.host} broke off the connection`),
      });
    });

    it("moves the tag after it was read", { timeout: TEST_MS }, async () => {
      const { push } = world();
      const wanted = await push("acme/shop:faults", "wanted");
      failing.tagRead = async () => {
        failing.tagRead = null;
        await push("acme/shop:faults", "moved");
      };
      const deployed = await deployImage(world());
      expect(deployed).toMatchObject({ status: "live", commit_sha: wanted });
      await expectServed(world(), "wanted");
    });

    it("has an image that is larger than the disk", { timeout: TEST_MS }, async () => {
      const { machine } = world().server;
      const images = `${folder(first)}/containers`;
      await machine.tell(
        `mount -t tmpfs -o size=32m,mode=700,uid=$(stat -c %u ${images}),gid=$(stat -c %g ${images}) none ${images}`,
      );
      expect(await deployImage(world(), first)).toMatchObject({
        status: "failed",
        failure: { code: "disk_full", stage: "fetch" },
      });
      await expectServed(world(), "wanted");
      await machine.tell(`umount ${images}`);
      expect(await deployImage(world(), first)).toMatchObject({ status: "live" });
    });
  });
}
