import type { TestProject } from "vitest/node";

import { assetsFolder, buildAssets } from "../../scripts/reference/build-assets.ts";

/**
 * Builds the files that the Worker serves, once for all processes that run it. A process could not build them itself on a
 * slow machine, because vitest waits for its start for a minute and a half.
 */
export default async function setUp(project: TestProject): Promise<void> {
  project.onTestsRerun(() => buildAssets(assetsFolder));
  await buildAssets(assetsFolder);
}
