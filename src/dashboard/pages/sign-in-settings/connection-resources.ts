import type { ClientResult } from "#client/send.ts";
import type { Connection } from "#contract/endpoints/connections/schemas.ts";
import { connectionsApi } from "#dashboard/data/provider-sign-in.ts";
import { POLL_MS, resources } from "#dashboard/data/resource.ts";

/** All connections of the account, with their settings. */
export const useConnectionSettings = resources(
  async (): Promise<ClientResult<readonly Connection[]>> => {
    const result = await connectionsApi.listConnections();
    return result.ok ? { ...result, value: result.value.connections } : result;
  },
  POLL_MS,
  "connection",
);
