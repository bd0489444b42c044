import { eq } from "drizzle-orm";

import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { serverPlace } from "#worker/db/projects/server-place.ts";
import { projects } from "#worker/db/schema.ts";
import { currentRevision, sealKeyOfServer } from "#worker/db/variables/variable-reading.ts";
import type { ServerPlace } from "#worker/objects/placement.ts";

/** What a change of a project's variables depends on besides the variables. */
export type VariablesHead = {
  readonly name: string;
  readonly serverId: ServerId;
  readonly serverPlace: ServerPlace;
  /** The project's repository, which may contain a password in a row of an earlier version. */
  readonly repository: string;
  /** 0: the project never had variables. */
  readonly revision: number;
  readonly sealKey: SealKey | null;
};

/** The account's project with this id; null if there is none. */
export async function findVariablesHead(rows: AccountRows, id: ProjectId): Promise<VariablesHead | null> {
  const fields = {
    name: projects.name,
    serverId: projects.serverId,
    serverPlace: serverPlace(rows),
    repository: projects.repository,
    revision: currentRevision(rows),
    sealKey: sealKeyOfServer(rows),
  };
  const [found] = await rows.select(fields, projects, { where: eq(projects.id, id), limit: 1 });
  return found === undefined ? null : { ...found, sealKey: readSealKey(found.sealKey) };
}

function readSealKey(json: string | null): SealKey | null {
  return json === null ? null : SealKey.parse(parseJson(json));
}
