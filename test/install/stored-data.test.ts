import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";

import { ProjectRows } from "#contract/endpoints/projects/schemas.ts";

import { createHome, removeHome, startSystem } from "../support/journey-system.ts";
import { readStored } from "./stored-data/read-stored.ts";

const folder = join(import.meta.dirname, "stored-data");
const files = (await readdir(folder)).filter((name) => name.endsWith(".tar.gz"));

it.each(files)("starts on the data of %s, shows the same, and deploys and rolls back", async (file) => {
  const home = await createHome();
  onTestFinished(() => removeHome(home));
  await promisify(execFile)("tar", [
    "--extract",
    "--gzip",
    "--file",
    join(folder, file),
    "--directory",
    home,
  ]);
  const written = z
    .record(z.string(), z.json())
    .parse(JSON.parse(await readFile(join(home, "answers.json"), "utf8")));

  const system = await startSystem(home);
  const { api } = system;
  const { projects } = ProjectRows.parse((await api.call("GET", "/v1/projects")).json);
  expect(projects.map(({ name }) => name).toSorted()).toEqual(["hello-site", "shop"]);
  const shop = projects.find(({ name }) => name === "shop")?.id ?? "";
  expect(await readStored(api, shop)).toMatchObject(written);
  const textOf = async () => {
    const { url } = await api.getProject(shop);
    return url === null ? null : await (await fetch(url)).text();
  };
  // The instances that ran when the installation was stopped.
  await expect.poll(textOf).toBe("two-sealed");

  const [waiting] = await api.listDeployments(shop);
  expect((await api.call("POST", `/v1/deployments/${waiting?.id}/cancel`)).status).toBe(200);
  const change = { repository: join(home, "shop"), approval: "none" };
  expect((await api.call("PATCH", `/v1/projects/${shop}`, change)).status).toBe(200);
  expect(await api.ended((await api.start(shop)).id)).toMatchObject({ status: "live", version: 6 });
  expect(await textOf()).toBe("two-sealed");
  expect(await api.ended((await api.rollBack(shop)).id)).toMatchObject({ status: "live", version: 7 });
  await system.interrupt();
});
