import { beforeAll, beforeEach } from "vitest";

import { projectCopies } from "./project.ts";
import { countNoRequests } from "./request-limits.ts";
import { prepareStorage } from "./storage.ts";
import { worldCopies } from "./world-copy.ts";

countNoRequests();
beforeAll(async () => {
  for (const copies of [worldCopies, projectCopies]) {
    if (copies.isPrepared) continue;
    await prepareStorage();
    await copies.prepare();
  }
});
beforeEach(prepareStorage);
