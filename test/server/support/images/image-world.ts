import { expect } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import type { AppServer } from "../app-server.ts";
import type { ImageRegistry } from "../image-registry.ts";

/** A server, a private registry, and a project at images.localhost whose images are there. */
export type ImageWorld = {
  readonly server: AppServer;
  readonly registry: ImageRegistry;
  readonly project: Project;
  /** Builds an image whose app answers with the name of a release, and pushes it. @returns its digest */
  readonly push: (name: string, release: string) => Promise<string>;
};

/** Deploys, and waits until the deployment has ended. */
export async function deployImage(
  { server, project }: ImageWorld,
  { id: projectId } = project,
): Promise<Deployment> {
  const { id } = await server.api.start(projectId);
  return await server.api.ended(id, 120_000);
}

export async function expectServed({ server }: ImageWorld, release: string): Promise<void> {
  expect(await server.ask("images.localhost")).toContain(release);
}
