import { eq } from "drizzle-orm";

import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { serverLocation } from "#worker/db/projects/server-location.ts";
import { projects } from "#worker/db/schema.ts";
import {
  currentRevision,
  currentVariablesOf,
  sealKeyOfServer,
  type VariableReading,
} from "#worker/db/variables/variable-reading.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

const storedSealKey = storedAs(SealKey);

/** What a change of a project's variables depends on besides the variables. */
export type VariablesHead = {
  readonly name: string;
  readonly serverId: ServerId;
  readonly serverLocation: ServerLocation;
  /** The address of the project's repository. */
  readonly repository: string;
  /** 0: the project never had variables. */
  readonly revision: number;
  readonly sealKey: SealKey | null;
};

/** The account's project with this id; null if there is none. */
export async function findVariablesHead(rows: AccountRows, id: ProjectId): Promise<VariablesHead | null> {
  const [found] = await rows.select(headFields, projects, oneWith(id));
  return found === undefined ? null : readHead(found);
}

/** The same with the project's current variables, sorted by name. One D1 round trip. */
export async function findVariables(
  rows: AccountRows,
  id: ProjectId,
): Promise<{ readonly head: VariablesHead; readonly variables: VariableReading[] } | null> {
  const [[found], variables] = await rows.selectBoth(
    [headFields, projects, oneWith(id)],
    currentVariablesOf(id),
  );
  return found === undefined ? null : { head: readHead(found), variables };
}

const oneWith = (id: ProjectId) => ({ where: eq(projects.id, id), limit: 1 });

function headFields(rows: AccountRows) {
  return {
    name: projects.name,
    serverId: projects.serverId,
    serverLocation: serverLocation(rows),
    repository: projects.repository,
    revision: currentRevision(rows),
    sealKey: sealKeyOfServer(rows),
  };
}

function readHead<Found extends { readonly sealKey: string | null }>({ sealKey, ...head }: Found) {
  return { ...head, sealKey: sealKey === null ? null : storedSealKey.parse(parseJson(sealKey)) };
}
